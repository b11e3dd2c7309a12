# bash completion for ctl                                  -*- shell-script -*-
#
# What can stand where is asked of the program: `ctl __complete WORD...` answers a candidate
# on each line and then :N, where 2 means no space behind it and 4 no file names.

__start_ctl() {
    local line="${COMP_LINE:0:COMP_POINT}" cur out item directive=0
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    cur="${words[${#words[@]}-1]}"
    COMPREPLY=()
    out=$("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null) || return
    while IFS= read -r item; do
        case $item in
            :[0-9]*) directive=${item#:} ;;
            *)
                item=${item%%$'\t'*}
                [[ -n $item && $item == "$cur"* ]] && COMPREPLY+=("$item")
                ;;
        esac
    done <<<"$out"
    # bash takes what stands behind : and = for a word of its own.
    local breaks=${COMP_WORDBREAKS//[^:=]/} prefix=""
    [[ -n $breaks && $cur == *[$breaks]* ]] && prefix="${cur%"${cur##*[$breaks]}"}"
    COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
    if [[ $(type -t compopt) == builtin ]]; then
        ((directive & 2)) && compopt -o nospace 2>/dev/null
        ((directive & 4)) && compopt +o default 2>/dev/null
    fi
    return 0
}

if [[ $(type -t compopt) == builtin ]]; then
    complete -o default -F __start_ctl ctl
else
    complete -o default -o nospace -F __start_ctl ctl
fi
