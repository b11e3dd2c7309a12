# fish completion for ctl
#
# What can stand where is asked of the program: `ctl __complete WORD...` answers a candidate
# and what it is on each line and then :N, where 4 means no file names.

function __ctl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l found 0
    set -l directive 0
    for line in ($program __complete $words "$current" 2>/dev/null)
        if string match -qr '^:[0-9]+$' -- $line
            set directive (string sub -s 2 -- $line)
        else
            set found 1
            echo $line
        end
    end
    if test $found = 0; and test (math "bitand($directive, 4)") = 0
        __fish_complete_path "$current"
    end
end

complete -c ctl -e
complete -c ctl -f -a '(__ctl_complete)'
