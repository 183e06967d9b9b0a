import { type Command, Help, type Option } from 'commander'

const FILE = /<(file|dir)>/

/** A place on the command line: the words that lead there and the words that may follow. */
export interface Place {
  readonly path: string
  readonly commands: readonly string[]
  readonly options: readonly PlacedOption[]
  readonly arguments: readonly (readonly string[])[]
}

export interface PlacedOption {
  readonly long: string
  readonly short: string | null
  readonly value: 'none' | 'file' | 'other'
  readonly choices: readonly string[]
}

export const placesOf = (command: Command, path = ''): Place[] => [
  {
    path,
    commands: command.commands.map((inner) => inner.name()),
    options: new Help().visibleOptions(command).flatMap(placedOption),
    arguments: command.registeredArguments.map(({ argChoices }) => argChoices ?? []),
  },
  ...command.commands.flatMap((inner) => placesOf(inner, `${path} ${inner.name()}`.trim())),
]

function placedOption({ long, short, flags, required, optional, argChoices }: Option): PlacedOption[] {
  if (!long) return []
  const value = FILE.test(flags) ? 'file' : 'other'
  return [
    {
      long: long.slice(2),
      short: short ? short.slice(1) : null,
      value: required || optional ? value : 'none',
      choices: argChoices ?? [],
    },
  ]
}
