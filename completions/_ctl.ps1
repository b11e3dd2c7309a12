
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'ctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'ctl'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'ctl' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('api-resources', 'api-resources', [CompletionResultType]::ParameterValue, 'List the types that the cluster knows')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Make objects what a file, a directory or standard input says')
            [CompletionResult]::new('clock', 'clock', [CompletionResultType]::ParameterValue, 'Show or move the cluster''s time')
            [CompletionResult]::new('cluster', 'cluster', [CompletionResultType]::ParameterValue, 'Make, list, copy, empty and remove clusters')
            [CompletionResult]::new('completion', 'completion', [CompletionResultType]::ParameterValue, 'Print the completion script of a shell')
            [CompletionResult]::new('controllers', 'controllers', [CompletionResultType]::ParameterValue, 'Run the controllers until stopped')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Create objects from a file, a directory or standard input')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Delete objects by type and name, or those of a file, a directory or standard input')
            [CompletionResult]::new('fsck', 'fsck', [CompletionResultType]::ParameterValue, 'Check the cluster''s directory, and mend it')
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Show objects')
            [CompletionResult]::new('migrate', 'migrate', [CompletionResultType]::ParameterValue, 'Bring the cluster''s directory to the format of this program')
            [CompletionResult]::new('patch', 'patch', [CompletionResultType]::ParameterValue, 'Change fields of an object')
            [CompletionResult]::new('raw', 'raw', [CompletionResultType]::ParameterValue, 'Read and write objects as they are stored, without any Kubernetes')
            [CompletionResult]::new('replace', 'replace', [CompletionResultType]::ParameterValue, 'Replace objects by those of a file, a directory or standard input')
            [CompletionResult]::new('settle', 'settle', [CompletionResultType]::ParameterValue, 'Run the controllers until nothing is left to do')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Print the version of the program and of the Kubernetes it follows')
            break
        }
        'ctl;api-resources' {
            [CompletionResult]::new('--api-group', '--api-group', [CompletionResultType]::ParameterName, 'Only those of this group')
            [CompletionResult]::new('--namespaced', '--namespaced', [CompletionResultType]::ParameterName, 'Only those with (true) or without (false) a namespace')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'wide or name')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'wide or name')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave out the headers')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;apply' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'A file, a directory or - for standard input')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'A file, a directory or - for standard input')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, '`server`: do everything but keep it; `none`: do it')
            [CompletionResult]::new('--validate', '--validate', [CompletionResultType]::ParameterName, 'What is done about unknown fields: strict (an error), warn or ignore')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'json, yaml or name')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'json, yaml or name')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Go into directories')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Go into directories')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;clock' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show the time')
            [CompletionResult]::new('advance', 'advance', [CompletionResultType]::ParameterValue, 'Move the time forward')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Move the time forward to a moment')
            [CompletionResult]::new('mode', 'mode', [CompletionResultType]::ParameterValue, 'Show or change whose time it is')
            break
        }
        'ctl;clock;show' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;clock;advance' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;clock;set' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;clock;mode' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;cluster' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a cluster')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the clusters in the user''s data directory, and the current one')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Remove a cluster with its directory and its whole history')
            [CompletionResult]::new('reset', 'reset', [CompletionResultType]::ParameterValue, 'Remove every object of a cluster and its history, and keep its settings')
            [CompletionResult]::new('fork', 'fork', [CompletionResultType]::ParameterValue, 'Copy the current cluster, with its history, into a new directory')
            break
        }
        'ctl;cluster;init' {
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'How many fake nodes it has')
            [CompletionResult]::new('--clock', '--clock', [CompletionResultType]::ParameterName, 'Whose time it runs on')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Where uids and generated names come from; the same seed gives the same ones')
            [CompletionResult]::new('--pods', '--pods', [CompletionResultType]::ParameterName, 'What fake Pods do: `running` keeps every Pod running until somebody says otherwise')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;cluster;list' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;cluster;delete' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;cluster;reset' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;cluster;fork' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;completion' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;controllers' {
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Run only these controllers')
            [CompletionResult]::new('--except', '--except', [CompletionResultType]::ParameterName, 'Run all controllers but these')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Settings of the controllers: a YAML file')
            [CompletionResult]::new('--metrics', '--metrics', [CompletionResultType]::ParameterName, 'Serve metrics at this address of the machine itself')
            [CompletionResult]::new('--lease', '--lease', [CompletionResultType]::ParameterName, 'After how long without a sign of life another process takes the lead')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'How reconciles are told')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--no-kubelet', '--no-kubelet', [CompletionResultType]::ParameterName, 'Do not play the nodes and their Pods')
            [CompletionResult]::new('--once', '--once', [CompletionResultType]::ParameterName, 'Do what is due now and stop')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;create' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'A file, a directory or - for standard input')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'A file, a directory or - for standard input')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, '`server`: do everything but keep it; `none`: do it')
            [CompletionResult]::new('--validate', '--validate', [CompletionResultType]::ParameterName, 'What is done about unknown fields: strict (an error), warn or ignore')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'json, yaml or name')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'json, yaml or name')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Go into directories')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Go into directories')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;delete' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'A file, a directory or - for standard input')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'A file, a directory or - for standard input')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--cascade', '--cascade', [CompletionResultType]::ParameterName, 'What happens to what the object owns')
            [CompletionResult]::new('--grace-period', '--grace-period', [CompletionResultType]::ParameterName, 'Seconds that a Pod has to end')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Go into directories')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Go into directories')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Delete all objects of the type')
            [CompletionResult]::new('--ignore-not-found', '--ignore-not-found', [CompletionResultType]::ParameterName, 'An object that is not there is no error')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;fsck' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--repair', '--repair', [CompletionResultType]::ParameterName, 'Salvage what is good of a damaged journal and write missing YAML files again')
            [CompletionResult]::new('--history', '--history', [CompletionResultType]::ParameterName, 'Replay every commit that is kept and check each step')
            [CompletionResult]::new('--accept-deletes', '--accept-deletes', [CompletionResultType]::ParameterName, 'Delete the objects whose YAML files are gone, however many they are')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;get' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'json, yaml, name or wide')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'json, yaml, name or wide')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Show these labels in columns')
            [CompletionResult]::new('--label-columns', '--label-columns', [CompletionResultType]::ParameterName, 'Show these labels in columns')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Watch for changes after showing what is there')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Watch for changes after showing what is there')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave out the headers')
            [CompletionResult]::new('--show-labels', '--show-labels', [CompletionResultType]::ParameterName, 'Show all labels in a last column')
            [CompletionResult]::new('--show-kind', '--show-kind', [CompletionResultType]::ParameterName, 'Show the type in front of the name')
            [CompletionResult]::new('--ignore-not-found', '--ignore-not-found', [CompletionResultType]::ParameterName, 'An object that is not there is no error')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;migrate' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--rewrite', '--rewrite', [CompletionResultType]::ParameterName, 'Write it anew even where it has the current format')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;patch' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, '`server`: do everything but keep it; `none`: do it')
            [CompletionResult]::new('--validate', '--validate', [CompletionResultType]::ParameterName, 'What is done about unknown fields: strict (an error), warn or ignore')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'json, yaml or name')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'json, yaml or name')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'The patch, JSON or YAML')
            [CompletionResult]::new('--patch', '--patch', [CompletionResultType]::ParameterName, 'The patch, JSON or YAML')
            [CompletionResult]::new('--patch-file', '--patch-file', [CompletionResultType]::ParameterName, 'A file with the patch')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'How the patch says what should change')
            [CompletionResult]::new('--subresource', '--subresource', [CompletionResultType]::ParameterName, '`status` patches the status')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;raw' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Print one object behind its revision')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Print the objects whose keys begin with a prefix')
            [CompletionResult]::new('put', 'put', [CompletionResultType]::ParameterValue, 'Write an object, JSON from standard input')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Remove an object')
            [CompletionResult]::new('merge', 'merge', [CompletionResultType]::ParameterValue, 'Merge a JSON patch into an object, under the lock')
            [CompletionResult]::new('batch', 'batch', [CompletionResultType]::ParameterValue, 'Commit the lines of standard input together: `put KEY JSON` or `delete KEY`')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Print changes as they come')
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'Print the commits that are kept')
            [CompletionResult]::new('revision', 'revision', [CompletionResultType]::ParameterValue, 'Print the cluster''s revision')
            [CompletionResult]::new('compact', 'compact', [CompletionResultType]::ParameterValue, 'Begin a new generation of the journal')
            [CompletionResult]::new('lead', 'lead', [CompletionResultType]::ParameterValue, 'Begin a new leader''s epoch and print it')
            break
        }
        'ctl;raw;get' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;raw;list' {
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'As they were at this revision')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;raw;put' {
            [CompletionResult]::new('--revision', '--revision', [CompletionResultType]::ParameterName, 'Only where the object is at this revision')
            [CompletionResult]::new('--epoch', '--epoch', [CompletionResultType]::ParameterName, 'Only while this leader''s epoch is in force')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--absent', '--absent', [CompletionResultType]::ParameterName, 'Only where the object is not there')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;raw;delete' {
            [CompletionResult]::new('--revision', '--revision', [CompletionResultType]::ParameterName, 'Only where the object is at this revision')
            [CompletionResult]::new('--epoch', '--epoch', [CompletionResultType]::ParameterName, 'Only while this leader''s epoch is in force')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--absent', '--absent', [CompletionResultType]::ParameterName, 'Only where the object is not there')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;raw;merge' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;raw;batch' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;raw;watch' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Changes after this revision')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Stop when the cluster is at this revision')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Stop after this many seconds')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--edits', '--edits', [CompletionResultType]::ParameterName, 'Look for hand edits too, and import them')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;raw;log' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;raw;revision' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;raw;compact' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;raw;lead' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'ctl;replace' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'A file, a directory or - for standard input')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'A file, a directory or - for standard input')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, '`server`: do everything but keep it; `none`: do it')
            [CompletionResult]::new('--validate', '--validate', [CompletionResultType]::ParameterName, 'What is done about unknown fields: strict (an error), warn or ignore')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'json, yaml or name')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'json, yaml or name')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Go into directories')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Go into directories')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;settle' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Let this much of the cluster''s time pass')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Spend at most this much real time')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Run only these controllers')
            [CompletionResult]::new('--except', '--except', [CompletionResultType]::ParameterName, 'Run all controllers but these')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--no-kubelet', '--no-kubelet', [CompletionResultType]::ParameterName, 'Do not play the nodes and their Pods')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ctl;version' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The directory that holds the cluster')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'Seconds to wait for another process that writes; 0 waits for ever')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--v', '--v', [CompletionResultType]::ParameterName, 'How much to tell on stderr')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Leave out the cluster''s version')
            [CompletionResult]::new('--allow-network-fs', '--allow-network-fs', [CompletionResultType]::ParameterName, 'Use a state directory on a network file system that nobody else uses')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
