import { Argument, type Command } from 'commander'
import { bashScript } from '../completion/bash-script.ts'
import { fishScript } from '../completion/fish-script.ts'
import { placesOf } from '../completion/places.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a completion script: source <(sonant completion bash), or sonant completion fish | source')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => {
      const places = placesOf(program)
      process.stdout.write(shell === 'fish' ? fishScript(places) : bashScript(shell, places))
    })
}
