# PowerShell completion for ctl
#
# What can stand where is asked of the program: `ctl __complete WORD...` answers a candidate
# and what it is on each line and then :N. `__complete_new` asks for a new word.

Register-ArgumentCompleter -Native -CommandName 'ctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text.Trim("'", '"') })
    $program = $words[0]
    $rest = @($words | Select-Object -Skip 1)
    $verb = if ($wordToComplete -eq '') { '__complete_new' } else { '__complete' }
    foreach ($line in (& $program $verb @rest 2>$null)) {
        if ($line -match '^:\d+$') { continue }
        $value, $text = $line -split "`t", 2
        if (-not $text) { $text = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
    }
}
