# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_ctl_global_optspecs
    string join \n state= lock-timeout= allow-network-fs v/v= h/help V/version
end

function __fish_ctl_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_ctl_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_ctl_using_subcommand
    set -l cmd (__fish_ctl_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c ctl -n "__fish_ctl_needs_command" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_needs_command" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_needs_command" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_needs_command" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_needs_command" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_needs_command" -s V -l version -d 'Print version'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "api-resources" -d 'List the types that the cluster knows'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "apply" -d 'Make objects what a file, a directory or standard input says'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "clock" -d 'Show or move the cluster\'s time'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "cluster" -d 'Make, list, copy, empty and remove clusters'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "completion" -d 'Print the completion script of a shell'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "controllers" -d 'Run the controllers until stopped'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "create" -d 'Create objects from a file, a directory or standard input'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "delete" -d 'Delete objects by type and name, or those of a file, a directory or standard input'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "fsck" -d 'Check the cluster\'s directory, and mend it'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "get" -d 'Show objects'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "migrate" -d 'Bring the cluster\'s directory to the format of this program'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "patch" -d 'Change fields of an object'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "raw" -d 'Read and write objects as they are stored, without any Kubernetes'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "replace" -d 'Replace objects by those of a file, a directory or standard input'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "settle" -d 'Run the controllers until nothing is left to do'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "version" -d 'Print the version of the program and of the Kubernetes it follows'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l api-group -d 'Only those of this group' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l namespaced -d 'Only those with (true) or without (false) a namespace' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -s o -l output -d 'wide or name' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l no-headers -d 'Leave out the headers'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand apply" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply" -s n -l namespace -d 'The namespace' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply" -l dry-run -d '`server`: do everything but keep it; `none`: do it' -r -f -a "none\t''
server\t''"
complete -c ctl -n "__fish_ctl_using_subcommand apply" -l validate -d 'What is done about unknown fields: strict (an error), warn or ignore' -r -f -a "strict\t''
warn\t''
ignore\t''"
complete -c ctl -n "__fish_ctl_using_subcommand apply" -s o -l output -d 'json, yaml or name' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand apply" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand apply" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand apply" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand apply" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -f -a "show" -d 'Show the time'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -f -a "advance" -d 'Move the time forward'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -f -a "set" -d 'Move the time forward to a moment'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -f -a "mode" -d 'Show or change whose time it is'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -f -a "init" -d 'Make a cluster'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -f -a "list" -d 'List the clusters in the user\'s data directory, and the current one'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -f -a "delete" -d 'Remove a cluster with its directory and its whole history'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -f -a "reset" -d 'Remove every object of a cluster and its history, and keep its settings'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -f -a "fork" -d 'Copy the current cluster, with its history, into a new directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l nodes -d 'How many fake nodes it has' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l clock -d 'Whose time it runs on' -r -f -a "system\t''
virtual\t''"
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l seed -d 'Where uids and generated names come from; the same seed gives the same ones' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l pods -d 'What fake Pods do: `running` keeps every Pod running until somebody says otherwise' -r -f -a "default\t''
running\t''"
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand completion" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l only -d 'Run only these controllers' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l except -d 'Run all controllers but these' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l config -d 'Settings of the controllers: a YAML file' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l metrics -d 'Serve metrics at this address of the machine itself' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l lease -d 'After how long without a sign of life another process takes the lead' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l log-format -d 'How reconciles are told' -r -f -a "text\t''
json\t''"
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l no-kubelet -d 'Do not play the nodes and their Pods'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l once -d 'Do what is due now and stop'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand create" -s n -l namespace -d 'The namespace' -r
complete -c ctl -n "__fish_ctl_using_subcommand create" -l dry-run -d '`server`: do everything but keep it; `none`: do it' -r -f -a "none\t''
server\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create" -l validate -d 'What is done about unknown fields: strict (an error), warn or ignore' -r -f -a "strict\t''
warn\t''
ignore\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create" -s o -l output -d 'json, yaml or name' -r
complete -c ctl -n "__fish_ctl_using_subcommand create" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand create" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand create" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s n -l namespace -d 'The namespace' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l cascade -d 'What happens to what the object owns' -r -f -a "background\t''
foreground\t''
orphan\t''"
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l grace-period -d 'Seconds that a Pod has to end' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l all -d 'Delete all objects of the type'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l ignore-not-found -d 'An object that is not there is no error'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l repair -d 'Salvage what is good of a damaged journal and write missing YAML files again'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l history -d 'Replay every commit that is kept and check each step'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l accept-deletes -d 'Delete the objects whose YAML files are gone, however many they are'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand get" -s n -l namespace -d 'The namespace' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -s o -l output -d 'json, yaml, name or wide' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -s L -l label-columns -d 'Show these labels in columns' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand get" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand get" -s w -l watch -d 'Watch for changes after showing what is there'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l no-headers -d 'Leave out the headers'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l show-labels -d 'Show all labels in a last column'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l show-kind -d 'Show the type in front of the name'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l ignore-not-found -d 'An object that is not there is no error'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l rewrite -d 'Write it anew even where it has the current format'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s n -l namespace -d 'The namespace' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l dry-run -d '`server`: do everything but keep it; `none`: do it' -r -f -a "none\t''
server\t''"
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l validate -d 'What is done about unknown fields: strict (an error), warn or ignore' -r -f -a "strict\t''
warn\t''
ignore\t''"
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s o -l output -d 'json, yaml or name' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s p -l patch -d 'The patch, JSON or YAML' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l patch-file -d 'A file with the patch' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l type -d 'How the patch says what should change' -r -f -a "json\t''
merge\t''
strategic\t''"
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l subresource -d '`status` patches the status' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "get" -d 'Print one object behind its revision'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "list" -d 'Print the objects whose keys begin with a prefix'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "put" -d 'Write an object, JSON from standard input'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "delete" -d 'Remove an object'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "merge" -d 'Merge a JSON patch into an object, under the lock'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "batch" -d 'Commit the lines of standard input together: `put KEY JSON` or `delete KEY`'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "watch" -d 'Print changes as they come'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "log" -d 'Print the commits that are kept'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "revision" -d 'Print the cluster\'s revision'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "compact" -d 'Begin a new generation of the journal'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -f -a "lead" -d 'Begin a new leader\'s epoch and print it'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l at -d 'As they were at this revision' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l revision -d 'Only where the object is at this revision' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l epoch -d 'Only while this leader\'s epoch is in force' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l absent -d 'Only where the object is not there'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l revision -d 'Only where the object is at this revision' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l epoch -d 'Only while this leader\'s epoch is in force' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l absent -d 'Only where the object is not there'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l from -d 'Changes after this revision' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l until -d 'Stop when the cluster is at this revision' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l timeout -d 'Stop after this many seconds' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l edits -d 'Look for hand edits too, and import them'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -s h -l help -d 'Print help'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s n -l namespace -d 'The namespace' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l dry-run -d '`server`: do everything but keep it; `none`: do it' -r -f -a "none\t''
server\t''"
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l validate -d 'What is done about unknown fields: strict (an error), warn or ignore' -r -f -a "strict\t''
warn\t''
ignore\t''"
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s o -l output -d 'json, yaml or name' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l for -d 'Let this much of the cluster\'s time pass' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l timeout -d 'Spend at most this much real time' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l only -d 'Run only these controllers' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l except -d 'Run all controllers but these' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l no-kubelet -d 'Do not play the nodes and their Pods'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand version" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand version" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l client -d 'Leave out the cluster\'s version'
complete -c ctl -n "__fish_ctl_using_subcommand version" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
