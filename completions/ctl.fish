# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_ctl_global_optspecs
    string join \n state= n/namespace= context= cluster= user= kubeconfig= s/server= as= as-group= as-uid= as-user-extra= request-timeout= warnings-as-errors exit-codes color= v/v= lock-timeout= allow-network-fs cache-dir= certificate-authority= client-certificate= client-key= disable-compression insecure-skip-tls-verify kuberc= match-server-version password= profile= profile-output= tls-server-name= token= username= vmodule= log-flush-frequency= h/help V/version
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
complete -c ctl -n "__fish_ctl_needs_command" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_needs_command" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_needs_command" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_needs_command" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_needs_command" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_needs_command" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_needs_command" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_needs_command" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_needs_command" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_needs_command" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_needs_command" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_needs_command" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_needs_command" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_needs_command" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_needs_command" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_needs_command" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_needs_command" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_needs_command" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_needs_command" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_needs_command" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_needs_command" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_needs_command" -s V -l version -d 'Print version'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "annotate" -d 'Set, change or remove annotations'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "api-resources" -d 'List the types that the cluster knows'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "api-versions" -d 'List the API versions that the cluster knows, as GROUP/VERSION'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "apply" -d 'Make objects what a file, a directory or standard input says'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "attach" -d 'Attach to a container that runs'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "autoscale" -d 'Let the number of pods follow what they use'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "clock" -d 'Show or move the cluster\'s time'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "cluster" -d 'Make, list, copy, empty and remove clusters'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "completion" -d 'Print the completion script of a shell'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "config" -d 'Show and change contexts'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "controllers" -d 'Run the controllers until stopped'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "cordon" -d 'Mark a node as one that takes no new pods'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "cp" -d 'Copy files from and to containers'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "create" -d 'Create objects from a file, a directory or standard input'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "debug" -d 'Add a container to a pod, make a copy of a pod, or a pod on a node, to look around'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "delete" -d 'Delete objects'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "describe" -d 'Show objects in detail, with what belongs to them'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "diff" -d 'Show what apply would change'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "drain" -d 'Empty a node: mark it as one that takes no new pods, and evict those that it has'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "edit" -d 'Edit objects in your editor'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "events" -d 'List events, the newest last'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "exec" -d 'Run a command in a container'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "explain" -d 'Tell what the fields of a type are'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "expose" -d 'Make a service for the pods of a deployment, replica set, replication controller, service or pod'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "fault" -d 'Make nodes and Pods misbehave'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "fsck" -d 'Check the cluster\'s directory, and mend it'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "get" -d 'Show objects'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "kustomize" -d 'Build a set of objects from a directory with a kustomization'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "label" -d 'Set, change or remove labels'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "logs" -d 'Print what containers have written'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "migrate" -d 'Bring the cluster\'s directory to the format of this program'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "options" -d 'List the flags that every command takes'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "patch" -d 'Change fields of an object'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "port-forward" -d 'Forward local ports to a pod'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "proxy" -d 'Lead from a local port to the API server'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "raw" -d 'Read and write objects as they are stored, without any Kubernetes'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "replace" -d 'Replace objects by those of a file, a directory or standard input'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "rollout" -d 'Manage the rollout of one or many resources'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "run" -d 'Run an image in a pod'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "scale" -d 'Set how many replicas there should be'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "set" -d 'Set specific features on objects'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "settle" -d 'Run the controllers until nothing is left to do'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "taint" -d 'Set and remove taints of nodes'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "top" -d 'Show what nodes and pods use'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "uncordon" -d 'Let a node take new pods again'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "version" -d 'Print the version of the program and of the Kubernetes it follows'
complete -c ctl -n "__fish_ctl_needs_command" -f -a "wait" -d 'Wait until something is so'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -s l -l selector -d 'Only objects with these labels: a=b, a!=b, a in (b,c), a, !a, and commas between them' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l field-selector -d 'Only objects with these fields: metadata.name=a, status.phase!=Running' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l resource-version -d 'Only where the object is at this resource version' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l overwrite -d 'Change those that have another value already'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l local -d 'Change the objects of the files, not those of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l list -d 'Show the annotations'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand annotate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l api-group -d 'Only those of this group; the core group is empty' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l namespaced -d 'Only those with (true) or without (false) a namespace' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l verbs -d 'Only those that take all these verbs' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l categories -d 'Only those in all these categories' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l sort-by -d 'Sort by name or kind' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -s o -l output -d 'wide, name, json or yaml' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l cached -d 'Has no meaning here'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l no-headers -d 'Leave out the headers'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l show-managed-fields -d 'Has no meaning here'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand api-resources" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand api-versions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l subresource -d 'What is applied to, with --server-side: status, scale' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l prune-allowlist -d 'The kinds that --prune looks at, as GROUP/VERSION/KIND' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l overwrite -d 'What wins where the live object has changed: the file' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l openapi-patch -d 'Has no meaning here' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l grace-period -d 'Seconds that a deleted object has to end; negative for its own' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l cascade -d 'What happens to what an object owns: background (it goes later), foreground (it goes first) or orphan (it stays)' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l timeout -d 'How long to wait for a deletion' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l server-side -d 'Apply on the server: each field belongs to who set it last'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l force-conflicts -d 'Take fields from other managers, with --server-side'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l prune -d 'Delete objects that were applied before and are no longer in the files'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l all -d 'Every object of the namespaces, with --prune'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l force -d 'Delete and create again what cannot be changed'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l wait -d 'Wait until deleted objects are gone'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -a "edit-last-applied" -d 'Edit what apply remembers of objects'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -a "set-last-applied" -d 'Make apply remember what a file says, without changing anything else'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and not __fish_seen_subcommand_from edit-last-applied set-last-applied view-last-applied" -a "view-last-applied" -d 'Show what apply remembers of objects'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l windows-line-endings -d 'Lines end as on Windows while editing'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from edit-last-applied" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l create-annotation -d 'Make the annotation where there is none'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from set-last-applied" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -s o -l output -d 'yaml or json' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand apply; and __fish_seen_subcommand_from view-last-applied" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand attach" -s c -l container -d 'The container' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l detach-keys -d 'The keys that end it without ending the container' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l pod-running-timeout -d 'How long to wait for a pod' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand attach" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand attach" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand attach" -s i -l stdin -d 'Pass standard input on'
complete -c ctl -n "__fish_ctl_using_subcommand attach" -s t -l tty -d 'Standard input is a terminal'
complete -c ctl -n "__fish_ctl_using_subcommand attach" -s q -l quiet -d 'Say less'
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand attach" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand attach" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l name -d 'The autoscaler\'s name, where it is not the object\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l min -d 'The fewest pods' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l max -d 'The most pods' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l cpu -d 'The CPU that pods are to use on average: 80% of what they ask for, or 500m; 500 is 500m' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l memory -d 'The memory that pods are to use on average: 60% of what they ask for, or 200Mi; 200 is 200Mi' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l cpu-percent -d 'The old way to say --cpu=N%' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand autoscale" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -f -a "show" -d 'Show the time'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -f -a "advance" -d 'Move the time forward'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -f -a "set" -d 'Move the time forward to a moment'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and not __fish_seen_subcommand_from show advance set mode" -f -a "mode" -d 'Show or change whose time it is'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from advance" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand clock; and __fish_seen_subcommand_from mode" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and not __fish_seen_subcommand_from init list delete reset fork" -l match-server-version -d 'Has no meaning for a cluster in a directory'
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
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from reset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cluster; and __fish_seen_subcommand_from fork" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand completion" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand completion" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand completion" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand completion" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "current-context" -d 'Show the name of the current context'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "delete-cluster" -d 'Remove a cluster'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "delete-context" -d 'Remove a context'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "delete-user" -d 'Remove a user'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "get-clusters" -d 'List the clusters'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "get-contexts" -d 'List the contexts'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "get-users" -d 'List the users'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "rename-context" -d 'Give a context another name'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "set" -d 'Set a property, such as contexts.dev.namespace'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "set-cluster" -d 'Make or change a cluster of the configuration'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "set-context" -d 'Make or change a context of the configuration'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "set-credentials" -d 'Make or change a user of the configuration'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "unset" -d 'Take a property away, such as contexts.dev.namespace'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "use-context" -d 'Make a context the current one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and not __fish_seen_subcommand_from current-context delete-cluster delete-context delete-user get-clusters get-contexts get-users rename-context set set-cluster set-context set-credentials unset use-context view" -f -a "view" -d 'Show the configuration'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from current-context" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-cluster" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-context" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from delete-user" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-clusters" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -s o -l output -d 'name' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l no-headers -d 'Leave out the headers'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from get-users" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from rename-context" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l set-raw-bytes -d 'The value of a ...-data property is not base64 yet'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l proxy-url -d 'The proxy on the way' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l embed-certs -d 'Keep the certificate in the file itself'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-cluster" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l current -d 'Change the current context'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-context" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l auth-provider -d 'The provider of credentials' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l auth-provider-arg -d 'What the provider needs; KEY- takes it away' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l exec-api-version -d 'The API version of what the program prints' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l exec-command -d 'The program that prints credentials' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l exec-arg -d 'Its arguments' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l exec-env -d 'Its environment' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l exec-interactive-mode -d 'Never, IfAvailable or Always' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l embed-certs -d 'Keep the certificate and key in the file itself'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l exec-provide-cluster-info -d 'Tell the program which cluster it is for'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from set-credentials" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from unset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from use-context" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l minify -d 'Only what the current context needs'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l flatten -d 'Show certificates and keys instead of their files'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l raw -d 'Show tokens, passwords and certificates as they are'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l merge -d 'Has no meaning: there is one configuration file'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand config; and __fish_seen_subcommand_from view" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l only -d 'Run only these controllers' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l except -d 'Run all controllers but these' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l config -d 'Settings of the controllers: a YAML file' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l metrics -d 'Serve metrics at this address of the machine itself' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l lease -d 'After how long without a sign of life another process takes the lead' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l log-format -d 'How reconciles are told' -r -f -a "text\t''
json\t''"
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l no-kubelet -d 'Do not play the nodes and their Pods'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l once -d 'Do what is due now and stop'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand controllers" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -s l -l selector -d 'Only nodes with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cordon" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand cp" -s c -l container -d 'The container' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l retries -d 'How often to go on where a copy breaks off; negative for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand cp" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand cp" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l no-preserve -d 'Owners and permissions are not kept'
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cp" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand cp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l raw -d 'Send the file to this path of the API' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l edit -d 'Edit the objects before they are created'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l windows-line-endings -d 'Lines end as on Windows while editing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "cronjob" -d 'Create a cron job'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "cj" -d 'Create a cron job'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "deployment" -d 'Create a deployment'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "deploy" -d 'Create a deployment'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "ingress" -d 'Create an ingress'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "ing" -d 'Create an ingress'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "job" -d 'Create a job'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "service" -d 'Create a service'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "svc" -d 'Create a service'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "clusterrole" -d 'Create a role of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "configmap" -d 'Create a config map'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "cm" -d 'Create a config map'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "poddisruptionbudget" -d 'Create a pod disruption budget'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "pdb" -d 'Create a pod disruption budget'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "role" -d 'Create a role of a namespace'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "secret" -d 'Create a secret'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "token" -d 'Ask for a token of a service account'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "clusterrolebinding" -d 'Give somebody a role in the whole cluster'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "namespace" -d 'Create a namespace'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "ns" -d 'Create a namespace'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "priorityclass" -d 'Create a priority class'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "pc" -d 'Create a priority class'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "quota" -d 'Create a resource quota'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "resourcequota" -d 'Create a resource quota'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "rolebinding" -d 'Give somebody a role in a namespace'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "serviceaccount" -d 'Create a service account'
complete -c ctl -n "__fish_ctl_using_subcommand create; and not __fish_seen_subcommand_from cronjob cj deployment deploy ingress ing job service svc clusterrole configmap cm poddisruptionbudget pdb role secret token clusterrolebinding namespace ns priorityclass pc quota resourcequota rolebinding serviceaccount sa" -a "sa" -d 'Create a service account'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l image -d 'The image of the container' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l schedule -d 'When it runs: minute hour day-of-month month day-of-week' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l restart -d 'Whether a container that failed starts again: OnFailure or Never' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cronjob" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l image -d 'The image of the container' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l schedule -d 'When it runs: minute hour day-of-month month day-of-week' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l restart -d 'Whether a container that failed starts again: OnFailure or Never' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cj" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l image -d 'The image of a container; may be given several times' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l port -d 'The port that the container listens on' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -s r -l replicas -d 'How many pods there should be' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deployment" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l image -d 'The image of a container; may be given several times' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l port -d 'The port that the container listens on' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -s r -l replicas -d 'How many pods there should be' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from deploy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l rule -d 'HOST/PATH=SERVICE:PORT, and behind it ,tls or ,tls=SECRET' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l default-backend -d 'Where everything else goes: SERVICE:PORT' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l class -d 'The ingress class' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l annotation -d 'An annotation: KEY=VALUE' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ingress" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l rule -d 'HOST/PATH=SERVICE:PORT, and behind it ,tls or ,tls=SECRET' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l default-backend -d 'Where everything else goes: SERVICE:PORT' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l class -d 'The ingress class' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l annotation -d 'An annotation: KEY=VALUE' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ing" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l image -d 'The image of the container' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l from -d 'The cron job whose job it is: cronjob/NAME' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from job" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -f -a "clusterip" -d 'Create a service with an address in the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -f -a "externalname" -d 'Create a service that stands for a name outside'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -f -a "loadbalancer" -d 'Create a service behind a load balancer'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from service" -f -a "nodeport" -d 'Create a service with a port on every node'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -f -a "clusterip" -d 'Create a service with an address in the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -f -a "externalname" -d 'Create a service that stands for a name outside'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -f -a "loadbalancer" -d 'Create a service behind a load balancer'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from svc" -f -a "nodeport" -d 'Create a service with a port on every node'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l verb -d 'What is allowed' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l resource -d 'On what: RESOURCE, RESOURCE.GROUP or RESOURCE/SUBRESOURCE' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l resource-name -d 'Only on the one with this name' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l non-resource-url -d 'Paths that are no resources' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l aggregation-rule -d 'The labels of the roles that it is put together from: KEY=VALUE' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrole" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l from-file -d 'A file, KEY=FILE, or a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l from-literal -d 'KEY=VALUE' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l from-env-file -d 'A file with lines KEY=VALUE' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l append-hash -d 'Append a hash of the content to the name'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from configmap" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l from-file -d 'A file, KEY=FILE, or a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l from-literal -d 'KEY=VALUE' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l from-env-file -d 'A file with lines KEY=VALUE' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l append-hash -d 'Append a hash of the content to the name'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from cm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l min-available -d 'How many pods must be there: a number or a percentage' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l max-unavailable -d 'How many pods may be away: a number or a percentage' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l selector -d 'The labels of the pods' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from poddisruptionbudget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l min-available -d 'How many pods must be there: a number or a percentage' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l max-unavailable -d 'How many pods may be away: a number or a percentage' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l selector -d 'The labels of the pods' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pdb" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l verb -d 'What is allowed' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l resource -d 'On what: RESOURCE, RESOURCE.GROUP or RESOURCE/SUBRESOURCE' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l resource-name -d 'Only on the one with this name' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from role" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -f -a "docker-registry" -d 'Create a secret that opens a registry of images'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -f -a "generic" -d 'Create a secret from files and literals'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from secret" -f -a "tls" -d 'Create a secret with a certificate and its key'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l audience -d 'Who is to accept it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l duration -d 'How long it is to last; the cluster says where this is 0' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l bound-object-kind -d 'The kind of the object that it lasts as long as: Node, Pod or Secret' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l bound-object-name -d 'The name of that object' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l bound-object-uid -d 'The uid of that object' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from token" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l clusterrole -d 'The role' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l user -d 'A user who gets it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l group -d 'A group that gets it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l serviceaccount -d 'A service account that gets it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from clusterrolebinding" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from namespace" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from ns" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l value -d 'The priority' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l description -d 'What it is for' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l preemption-policy -d 'PreemptLowerPriority or Never' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l global-default -d 'For pods that name no class'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from priorityclass" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l value -d 'The priority' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l description -d 'What it is for' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l preemption-policy -d 'PreemptLowerPriority or Never' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l global-default -d 'For pods that name no class'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from pc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l hard -d 'The limits: RESOURCE=QUANTITY, and commas between them' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l scopes -d 'What the quota counts, with commas: BestEffort, Terminating, ..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from quota" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l hard -d 'The limits: RESOURCE=QUANTITY, and commas between them' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l scopes -d 'What the quota counts, with commas: BestEffort, Terminating, ..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from resourcequota" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l role -d 'The role, one of the namespace' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l clusterrole -d 'The role, one of the cluster' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l user -d 'A user who gets it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l group -d 'A group that gets it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l serviceaccount -d 'A service account that gets it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from rolebinding" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from serviceaccount" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand create; and __fish_seen_subcommand_from sa" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -s f -l filename -d 'A file that names the object' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l image -d 'The image of the container' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l image-pull-policy -d 'When it is pulled: Always, IfNotPresent or Never' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -s c -l container -d 'The name of the container' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l target -d 'The container whose processes are to be seen' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l env -d 'Variables of its environment' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l profile -d 'What it may do: general, baseline, restricted, netadmin, sysadmin or legacy' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l custom -d 'A file with more of the container\'s spec' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l copy-to -d 'Make a copy of the pod with this name' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l set-image -d 'Other images of the copy; * is every container' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l share-processes -d 'The containers of the copy see each other\'s processes' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l keep-init-containers -d 'The copy has the pod\'s init containers' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand debug" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand debug" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l arguments-only -d 'The words behind -- are what is handed to the image\'s own command'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l replace -d 'Delete the pod when its copy is there'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l same-node -d 'The copy is on the same node'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l keep-labels -d 'The copy has the pod\'s labels'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l keep-annotations -d 'The copy has the pod\'s annotations'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l keep-liveness -d 'The copy has the pod\'s liveness probes'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l keep-readiness -d 'The copy has the pod\'s readiness probes'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l keep-startup -d 'The copy has the pod\'s startup probes'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -s i -l stdin -d 'Keep standard input open, and wait for the container'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -s t -l tty -d 'Give the container a terminal'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l attach -d 'Wait for the container'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -s q -l quiet -d 'Say less'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand debug" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s l -l selector -d 'Only objects with these labels: a=b, a!=b, a in (b,c), a, !a, and commas between them' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l field-selector -d 'Only objects with these fields: metadata.name=a, status.phase!=Running' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l cascade -d 'What happens to what an object owns: background (it goes later), foreground (it goes first) or orphan (it stays)' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l grace-period -d 'Seconds that a Pod has to end; negative for its own' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l timeout -d 'How long to wait until the objects are gone; 0 for as long as it takes' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l wait -d 'Wait until the objects are gone' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l raw -d 'Send the request to this path of the API' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s o -l output -d 'name: TYPE/NAME and nothing else; json or yaml: the objects' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l now -d 'Let Pods end at once: the same as --grace-period=1'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l force -d 'Do not wait for a Pod\'s end, with --grace-period=0'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l ignore-not-found -d 'An object that is not there is no error'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s i -l interactive -d 'Ask first'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand describe" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l show-events -d 'Show events; by default where there is one object only' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l chunk-size -d 'Accepted for kubectl\'s sake' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand describe" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand describe" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand describe" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand describe" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand describe" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand describe" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l prune-allowlist -d 'The kinds that --prune looks at, as GROUP/VERSION/KIND' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l concurrency -d 'Has no meaning here' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand diff" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand diff" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand diff" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l server-side -d 'Compare with what a server-side apply would make of the objects'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l force-conflicts -d 'Take fields from other managers, with --server-side'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l show-secrets -d 'Show the data of secrets'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l show-managed-fields -d 'Show who owns which fields'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l prune -d 'Show what apply --prune would delete'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -s l -l selector -d 'Only nodes with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l pod-selector -d 'Only pods with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l grace-period -d 'Seconds that a pod has to end; negative for its own' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l timeout -d 'How long to wait until the pods are gone; 0 for as long as it takes' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l skip-wait-for-delete-timeout -d 'Do not wait for pods that were deleted more than this many seconds ago; 0 waits' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l chunk-size -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand drain" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand drain" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l force -d 'Delete pods too that nothing would make again'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l ignore-daemonsets -d 'Leave pods of daemon sets where they are'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l delete-emptydir-data -d 'Evict pods too whose emptyDir volumes are lost with them'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l disable-eviction -d 'Delete pods, whatever disruption budgets say'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand drain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l subresource -d 'status edits the status' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand edit" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand edit" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand edit" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l output-patch -d 'Print the patch that is sent'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l windows-line-endings -d 'Lines end as on Windows while editing'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand events" -l for -d 'Only those about this object: TYPE/NAME' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l types -d 'Only these types: Normal, Warning' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l chunk-size -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand events" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand events" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand events" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand events" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand events" -s w -l watch -d 'Go on with what happens'
complete -c ctl -n "__fish_ctl_using_subcommand events" -l no-headers -d 'No headers'
complete -c ctl -n "__fish_ctl_using_subcommand events" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand events" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand events" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand events" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand events" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand events" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand events" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand events" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand exec" -s f -l filename -d 'A file that names the object' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -s c -l container -d 'The container' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l pod-running-timeout -d 'How long to wait for a pod' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand exec" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand exec" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand exec" -s i -l stdin -d 'Pass standard input on'
complete -c ctl -n "__fish_ctl_using_subcommand exec" -s t -l tty -d 'Standard input is a terminal'
complete -c ctl -n "__fish_ctl_using_subcommand exec" -s q -l quiet -d 'Say less'
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand exec" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand exec" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l api-version -d 'The group and version of the type' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -s o -l output -d 'plaintext or plaintext-openapiv2' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand explain" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand explain" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand explain" -s R -l recursive -d 'List the fields of fields too'
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand explain" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l name -d 'The service\'s name, where it is not the object\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l port -d 'The service\'s port; the ports of the containers without it' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l target-port -d 'The container\'s port, a number or a name; the same without it' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l protocol -d 'TCP, UDP or SCTP; the containers\' own without it' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l type -d 'ClusterIP, NodePort, LoadBalancer or ExternalName' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l cluster-ip -d 'The service\'s address: none at all with None' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l external-ip -d 'An address outside of the cluster that leads to the service too' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l load-balancer-ip -d 'The address of the load balancer' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l session-affinity -d 'Whether the same client comes to the same pod: None or ClientIP' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -s l -l labels -d 'The labels of the service; the object\'s own without it' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l selector -d 'The labels of the pods that are meant; what the object selects without it' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l overrides -d 'JSON that is put over the object before it is made' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l override-type -d 'How: json (a list of steps), merge, or strategic (lists are merged by their keys)' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand expose" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand expose" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand expose" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand expose" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -f -a "node" -d 'Take a node down, make it unready or slow'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -f -a "pod" -d 'Crash a Pod\'s containers, or make them slow, unready or impossible to start'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -f -a "clear" -d 'Take all faults of a node or Pod away'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and not __fish_seen_subcommand_from node pod clear list" -f -a "list" -d 'Show the nodes and Pods that have faults'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l not-ready -d 'Its kubelet says that it is not ready, with this message' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l slow -d 'Containers take longer to start there' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l down -d 'Its kubelet is not heard of any longer'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l up -d 'Its kubelet is there again'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from node" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -s c -l container -d 'Only this container' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l crash -d 'Crash once, now, with this exit code' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l exit-code -d 'Exit with this code each time that it runs' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l exit-after -d 'How long it runs before it exits' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l oom-after -d 'Be out of memory after this time' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l image -d 'The image cannot be had' -r -f -a "not-found\t''
invalid\t''
never\t''"
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l start-delay -d 'How long it takes to start' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l ready-delay -d 'How long it takes to become ready' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l stop-delay -d 'How long the Pod takes to end when it is deleted' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l evict -d 'The kubelet evicts the Pod, for this reason' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l not-ready -d 'The readiness probe fails'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l not-alive -d 'The liveness probe fails'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from pod" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from clear" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fault; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l repair -d 'Salvage what is good of a damaged journal and write missing YAML files again'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l history -d 'Replay every commit that is kept and check each step'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l accept-deletes -d 'Delete the objects whose YAML files are gone, however many they are'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand fsck" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand get" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -s l -l selector -d 'Only objects with these labels: a=b, a!=b, a in (b,c), a, !a, and commas between them' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l field-selector -d 'Only objects with these fields: metadata.name=a, status.phase!=Running' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -s L -l label-columns -d 'Show these labels in columns' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l sort-by -d 'Sort by this field, a JSONPath such as .metadata.name' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l chunk-size -d 'Has no meaning here: a list is read at once' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l server-print -d 'Show the columns of the kind; without, only name and age' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand get" -l subresource -d 'Show this part of the object: status, scale' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l raw -d 'Show what this path of the API answers' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand get" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand get" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand get" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand get" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand get" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand get" -s w -l watch -d 'Watch for changes after showing what is there'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l watch-only -d 'Watch for changes without showing what is there'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l output-watch-events -d 'Say what happened to each watched object'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l no-headers -d 'Leave out the headers'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l show-labels -d 'Show all labels in a last column'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l show-kind -d 'Show the type in front of the name'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l ignore-not-found -d 'An object that is not there is no error'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l exit-code -d 'Exit with 3 where nothing was found'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand get" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -s o -l output -d 'Write to this file, or one file for each object into this directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l load-restrictor -d '`LoadRestrictionsNone` lets kustomizations name files outside of their directories' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l reorder -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -s e -l env -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l helm-api-versions -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l helm-command -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l helm-kube-version -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l mount -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l network-name -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l enable-managedby-label
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l as-current-user
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l enable-alpha-plugins
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l enable-helm
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l helm-debug
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l network
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand kustomize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand label" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -s l -l selector -d 'Only objects with these labels: a=b, a!=b, a in (b,c), a, !a, and commas between them' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l field-selector -d 'Only objects with these fields: metadata.name=a, status.phase!=Running' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l resource-version -d 'Only where the object is at this resource version' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand label" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand label" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand label" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand label" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand label" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l overwrite -d 'Change those that have another value already'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l local -d 'Change the objects of the files, not those of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l list -d 'Show the labels'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand label" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand label" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -s c -l container -d 'The container' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -s l -l selector -d 'Pods with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l tail -d 'Only so many lines from the end; -1 for all, which is usual without -l' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l since -d 'Only what is younger than this: 5s, 2m, 3h' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l since-time -d 'Only what was written at or after this time' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l limit-bytes -d 'Only so many bytes from the start' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l max-log-requests -d 'How many logs may be followed at once' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l pod-running-timeout -d 'How long to wait for a pod' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand logs" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand logs" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l all-containers -d 'All containers of the pod'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l all-pods -d 'All pods of the object, each line with its pod'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -s f -l follow -d 'Go on with what is written'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -s p -l previous -d 'The run before this one'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l timestamps -d 'The time before each line'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l prefix -d 'The pod and the container before each line'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l ignore-errors -d 'Errors while logs are followed do not end it'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l insecure-skip-tls-verify-backend -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand logs" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l rewrite -d 'Write it anew even where it has the current format'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand migrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand options" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand options" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand options" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand options" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand options" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand options" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand options" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand options" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand options" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand options" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s p -l patch -d 'The patch, JSON or YAML' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l patch-file -d 'A file with the patch' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l type -d 'How the patch says what should change: json, merge or strategic' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l subresource -d 'status patches the status, scale the number of replicas' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l local -d 'Patch the object of the file, not that of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand patch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l address -d 'The addresses to listen on' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l pod-running-timeout -d 'How long to wait for a pod' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand port-forward" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -s p -l port -d 'The port to listen on' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l address -d 'The address to listen on' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -s u -l unix-socket -d 'A socket file to listen on, in place of a port' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l api-prefix -d 'The path under which the API is' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -s w -l www -d 'A directory whose files are served too' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -s P -l www-prefix -d 'The path under which they are' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l accept-hosts -d 'The hosts that may ask' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l accept-paths -d 'The paths that may be asked for' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l reject-paths -d 'The paths that may not' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l reject-methods -d 'The methods that may not be used' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l keepalive -d 'How often a connection is tested' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l disable-filter -d 'Anybody may ask for anything'
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l append-server-path -d 'The path of the server\'s address comes before those that are asked for'
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand proxy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and not __fish_seen_subcommand_from get list put delete merge batch watch log revision compact lead" -l match-server-version -d 'Has no meaning for a cluster in a directory'
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
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l at -d 'As they were at this revision' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l revision -d 'Only where the object is at this revision' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l epoch -d 'Only while this leader\'s epoch is in force' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l absent -d 'Only where the object is not there'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from put" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l revision -d 'Only where the object is at this revision' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l epoch -d 'Only while this leader\'s epoch is in force' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l absent -d 'Only where the object is not there'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from merge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from batch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l from -d 'Changes after this revision' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l until -d 'Stop when the cluster is at this revision' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l timeout -d 'Stop after this many seconds' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l edits -d 'Look for hand edits too, and import them'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from log" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from revision" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from compact" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand raw; and __fish_seen_subcommand_from lead" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l grace-period -d 'Seconds that a deleted object has to end; negative for its own' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l cascade -d 'What happens to what an object owns: background (it goes later), foreground (it goes first) or orphan (it stays)' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l timeout -d 'How long to wait for a deletion' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l subresource -d 'status replaces the status' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l raw -d 'Send the file to this path of the API' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l force -d 'Delete the objects and create them again'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l wait -d 'Wait until deleted objects are gone'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand replace" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -f -a "history" -d 'View rollout history'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -f -a "pause" -d 'Mark the provided resource as paused'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -f -a "restart" -d 'Restart a resource'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -f -a "resume" -d 'Resume a paused resource'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -f -a "status" -d 'Show the status of the rollout'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and not __fish_seen_subcommand_from history pause restart resume status undo" -f -a "undo" -d 'Undo a previous rollout'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l revision -d 'Show this revision, with its Pod template' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from history" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from pause" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from restart" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from resume" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -s w -l watch -d 'Watch the rollout until it is done' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l revision -d 'Only the rollout of this revision; 0 is the latest one' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l timeout -d 'Give up after this time; 0 never does' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l to-revision -d 'The revision to go back to; 0 is the one before the current' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand rollout; and __fish_seen_subcommand_from undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l image -d 'The image of the container' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l image-pull-policy -d 'When the image is pulled: Always, IfNotPresent or Never' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l annotations -d 'An annotation of the pod; may be given several times' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -s l -l labels -d 'Labels of the pod, with commas between them' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l env -d 'A variable of the container\'s environment; may be given several times' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l port -d 'The port that the container listens on' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l restart -d 'What happens when the container ends: Always, OnFailure or Never' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l pod-running-timeout -d 'How long to wait for the pod to run' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l overrides -d 'JSON that is put over the object before it is made' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l override-type -d 'How: json (a list of steps), merge, or strategic (lists are merged by their keys)' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand run" -l cascade -d 'Does nothing here' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -s f -l filename -d 'Does nothing here' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l grace-period -d 'Does nothing here' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -s k -l kustomize -d 'Does nothing here' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l timeout -d 'Does nothing here' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand run" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand run" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand run" -l expose -d 'Make a service for the port too'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l command -d 'The arguments are the container\'s command, not what is handed to the image\'s own'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l privileged -d 'The container may do what its node may'
complete -c ctl -n "__fish_ctl_using_subcommand run" -s i -l stdin -d 'Keep the container\'s standard input open, and wait for the pod'
complete -c ctl -n "__fish_ctl_using_subcommand run" -s t -l tty -d 'Give the container a terminal'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l leave-stdin-open -d 'Leave its standard input open when nobody writes to it any more'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l attach -d 'Wait for the pod'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l rm -d 'Delete the pod afterwards'
complete -c ctl -n "__fish_ctl_using_subcommand run" -s q -l quiet -d 'Say less'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l save-config -d 'Keep the configuration in an annotation, so that apply can go on from it'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l force -d 'Does nothing here'
complete -c ctl -n "__fish_ctl_using_subcommand run" -s R -l recursive -d 'Does nothing here'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l wait -d 'Does nothing here'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand run" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l replicas -d 'How many replicas there should be' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l current-replicas -d 'Only where there are this many now' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l resource-version -d 'Only where the object is at this resource version' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l timeout -d 'Wait this long until there are as many; 0 does not wait' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand scale" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand scale" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand scale" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand scale" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -f -a "env" -d 'Update environment variables on a pod template'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -f -a "image" -d 'Update the image of a pod template'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -f -a "resources" -d 'Update resource requests/limits on objects with pod templates'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -f -a "selector" -d 'Set the selector on a resource'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -f -a "serviceaccount" -d 'Update the service account of a resource'
complete -c ctl -n "__fish_ctl_using_subcommand set; and not __fish_seen_subcommand_from env image resources selector serviceaccount subject" -f -a "subject" -d 'Update the user, group, or service account in a role binding or cluster role binding'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s c -l containers -d 'The containers, with * for any letters' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s e -l env -d 'Variables, as behind the objects; - reads them from standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l from -d 'Take the variables from this config map or secret' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l keys -d 'Only these keys of --from' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l prefix -d 'What stands in front of the names of --from' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l overwrite -d 'Change those that have another value already' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l list -d 'Show the variables'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l resolve -d 'Show what references stand for, with --list'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l local -d 'Change the objects of the files, not those of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from env" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l local -d 'Change the objects of the files, not those of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from image" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -s c -l containers -d 'The containers, with * for any letters' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l limits -d 'What a container may use: cpu=100m,memory=256Mi' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l requests -d 'What a container needs: cpu=100m,memory=256Mi' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l local -d 'Change the objects of the files, not those of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from resources" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l resource-version -d 'Only where the object is at this resource version' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l local -d 'Change the objects of the files, not those of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from selector" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l local -d 'Change the objects of the files, not those of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from serviceaccount" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l user -d 'Users' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l group -d 'Groups' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l serviceaccount -d 'Service accounts: NAMESPACE:NAME' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -s k -l kustomize -d 'A directory with a kustomization file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -s l -l selector -d 'Only objects with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -s R -l recursive -d 'Go into directories'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l local -d 'Change the objects of the files, not those of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand set; and __fish_seen_subcommand_from subject" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l for -d 'Let this much of the cluster\'s time pass' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l timeout -d 'Spend at most this much real time' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l only -d 'Run only these controllers' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l except -d 'Run all controllers but these' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand settle" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand settle" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l no-kubelet -d 'Do not play the nodes and their Pods'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand settle" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -s l -l selector -d 'Only nodes with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l validate -d 'strict (true): unknown fields are errors; warn: they are warnings; ignore (false): nothing' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l field-manager -d 'Who comes to own the fields that are set' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand taint" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand taint" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l all -d 'All nodes'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l overwrite -d 'Change those that have another value already'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l record -d 'Does nothing'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand taint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -f -a "node" -d 'Show what nodes use: the sum of what their pods say'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -f -a "nodes" -d 'Show what nodes use: the sum of what their pods say'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -f -a "no" -d 'Show what nodes use: the sum of what their pods say'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -f -a "pod" -d 'Show what pods use'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -f -a "pods" -d 'Show what pods use'
complete -c ctl -n "__fish_ctl_using_subcommand top; and not __fish_seen_subcommand_from node nodes no pod pods po" -f -a "po" -d 'Show what pods use'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -s l -l selector -d 'Only nodes with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l sort-by -d 'The most first: cpu or memory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l use-protocol-buffers -d 'Has no meaning for a cluster in a directory' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l show-capacity -d 'Percentages of the whole node, not of what it leaves to pods'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l no-headers -d 'No headers'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l show-swap -d 'Has no meaning: fake nodes do not swap'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from node" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -s l -l selector -d 'Only nodes with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l sort-by -d 'The most first: cpu or memory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l use-protocol-buffers -d 'Has no meaning for a cluster in a directory' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l show-capacity -d 'Percentages of the whole node, not of what it leaves to pods'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l no-headers -d 'No headers'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l show-swap -d 'Has no meaning: fake nodes do not swap'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from nodes" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -s l -l selector -d 'Only nodes with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l sort-by -d 'The most first: cpu or memory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l use-protocol-buffers -d 'Has no meaning for a cluster in a directory' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l show-capacity -d 'Percentages of the whole node, not of what it leaves to pods'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l no-headers -d 'No headers'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l show-swap -d 'Has no meaning: fake nodes do not swap'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from no" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -s l -l selector -d 'Only pods with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l field-selector -d 'Only pods with these fields' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l sort-by -d 'The most first: cpu or memory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l use-protocol-buffers -d 'Has no meaning for a cluster in a directory' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l containers -d 'A line for each container'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l sum -d 'The sum of all in a last line'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l no-headers -d 'No headers'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l show-swap -d 'Has no meaning: fake nodes do not swap'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pod" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -s l -l selector -d 'Only pods with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l field-selector -d 'Only pods with these fields' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l sort-by -d 'The most first: cpu or memory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l use-protocol-buffers -d 'Has no meaning for a cluster in a directory' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l containers -d 'A line for each container'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l sum -d 'The sum of all in a last line'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l no-headers -d 'No headers'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l show-swap -d 'Has no meaning: fake nodes do not swap'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from pods" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -s l -l selector -d 'Only pods with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l field-selector -d 'Only pods with these fields' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l sort-by -d 'The most first: cpu or memory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l use-protocol-buffers -d 'Has no meaning for a cluster in a directory' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l containers -d 'A line for each container'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l sum -d 'The sum of all in a last line'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l no-headers -d 'No headers'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l show-swap -d 'Has no meaning: fake nodes do not swap'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand top; and __fish_seen_subcommand_from po" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -s l -l selector -d 'Only nodes with these labels' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l dry-run -d 'client: only show what would be sent; server: do everything but keep it; none: do it' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand uncordon" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand version" -s o -l output -d 'yaml or json' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand version" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand version" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand version" -l client -d 'Leave out the cluster\'s version'
complete -c ctl -n "__fish_ctl_using_subcommand version" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand version" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand version" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand version" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand version" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand version" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -s f -l filename -d 'A file, a directory or - for standard input' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -s R -l recursive -d 'Go into directories' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand wait" -s l -l selector -d 'Only objects with these labels: a=b, a!=b, a in (b,c), a, !a, and commas between them' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l field-selector -d 'Only objects with these fields: metadata.name=a, status.phase!=Running' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l for -d 'What to wait for: delete, create, condition=NAME[=VALUE], jsonpath={PATH}[=VALUE]; several must all be so' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l or-fail -d 'Fail as soon as this is so, with the forms of --for' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l timeout -d 'How long to wait; 0 looks once, less waits for a week' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -s o -l output -d 'json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or go-template-file=..' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l template -d 'The template, or its file, where -o does not say it' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l allow-missing-template-keys -d 'Fields that are not there are no errors in templates' -r -f -a "true\t''
false\t''"
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l state -d 'The directory that holds the cluster' -r -F
complete -c ctl -n "__fish_ctl_using_subcommand wait" -s n -l namespace -d 'The namespace, where it is not the context\'s' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l context -d 'The context of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l cluster -d 'The cluster of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l user -d 'The user of the configuration file to use' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l kubeconfig -d 'The configuration file' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -s s -l server -d 'Where the cluster is: file:///DIRECTORY' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l as -d 'Act as this user' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l as-group -d 'Act as a member of this group, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l as-uid -d 'Act with this uid, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l as-user-extra -d 'Act with this extra property, with --as' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l request-timeout -d 'How long to wait for another process that writes, such as 5s; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c ctl -n "__fish_ctl_using_subcommand wait" -s v -l v -d 'How much to tell on stderr' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l lock-timeout -d 'Seconds to wait for another process that writes; 0 waits for ever' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l cache-dir -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l certificate-authority -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l client-certificate -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l client-key -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l kuberc -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l password -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l profile -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l profile-output -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l tls-server-name -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l token -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l username -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l vmodule -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l log-flush-frequency -d 'Has no meaning for a cluster in a directory' -r
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l all -d 'All objects of the types'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -s A -l all-namespaces -d 'All namespaces'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l any -d 'One of several --for is enough'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l local -d 'Look at the objects of the files, not at those of the cluster'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l show-managed-fields -d 'Show who owns which fields in JSON and YAML'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l warnings-as-errors -d 'Warnings are errors: exit code 1 where there was one'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l exit-codes -d 'Different exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l allow-network-fs -d 'Use a state directory on a network file system that nobody else uses'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l disable-compression -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l insecure-skip-tls-verify -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -l match-server-version -d 'Has no meaning for a cluster in a directory'
complete -c ctl -n "__fish_ctl_using_subcommand wait" -s h -l help -d 'Print help (see more with \'--help\')'
