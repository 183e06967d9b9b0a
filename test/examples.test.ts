import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { buildProgram } from '../src/cli/program.ts'
import { readSettings } from '../src/config.ts'

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../examples/${name}`, import.meta.url)), 'utf8')
const COMMANDS = buildProgram().commands

interface Service {
  readonly command?: string[]
  readonly environment?: Record<string, string>
  readonly image?: string
}

/** The subcommand and its options are ones that the command line knows. */
function isCommand([name, ...args]: readonly string[]): boolean {
  const command = COMMANDS.find((candidate) => candidate.name() === name)
  const options = args.filter((arg) => arg.startsWith('--'))
  return command !== undefined && options.every((option) => command.options.some(({ long }) => long === option))
}

describe('examples', () => {
  test.each(['sonant-api.service', 'sonant-worker@.service'])('%s starts a command that there is', (name) => {
    const [, args = ''] = /^ExecStart=\S+\/sonant (.+)$/m.exec(read(name)) ?? []
    expect(isCommand(args.split(' '))).toBe(true)
    // Whoever stops it waits longer than the service itself does for its jobs.
    const { shutdownSeconds } = readSettings({})
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(read(name))?.[1])).toBeGreaterThan(shutdownSeconds)
  })

  test('the environment file is a valid one', () => {
    const lines = read('env.example')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
    const env = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    expect(readSettings(env)).toMatchObject({ host: '0.0.0.0', s3: { url: 'https://s3.internal/sonant' } })
  })

  test('the compose file gives both roles commands and settings that are valid', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> }
    const ours = Object.values(services).filter(({ image }) => image === 'sonant')
    expect(ours.map(({ command }) => command)).toEqual([['serve'], ['work']])
    for (const { command, environment } of ours) {
      expect(isCommand(command ?? [])).toBe(true)
      expect(readSettings(environment ?? {}).s3?.publicUrl).toBe('http://127.0.0.1:9000/sonant')
    }
  })
})
