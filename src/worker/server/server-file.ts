import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { toViolations, type Violation } from '../../catalog/files/read-yaml.ts'
import { ConfigError } from '../../context/config-error.ts'

const MAX_GPU = 255
const MAX_START_SECONDS = 24 * 3600
const DEFAULT_START_SECONDS = 600
const MAX_ALIAS_COUNT = 100
const VARIABLE_FORM = /^[A-Za-z_][A-Za-z0-9_]*$/
const GPUS_VARIABLE = 'CUDA_VISIBLE_DEVICES'
const PORT_VARIABLE = 'PORT'
const PORT_WORD = /\$(?:PORT(?![A-Za-z0-9_])|\{PORT\})/g

export interface ServerSpec {
  /** Runs without a shell. `$PORT` becomes the port to listen on. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Numbers of visible cards; null: all. */
  readonly gpus: readonly number[] | null
  readonly readyPath: string
  readonly startSeconds: number
}

type Environment = Readonly<Record<string, string | undefined>>

const noNul = (value: string): boolean => !value.includes('\0')
const text = z
  .string({ error: 'must be a string' })
  .refine(noNul, { error: 'must not hold a NUL character', abort: true })

const argument = z
  .union([z.string(), z.number().transform(String)], { error: 'must be a string or a number' })
  .refine(noNul, 'must not hold a NUL character')

const variable = z
  .union([z.string(), z.number().transform(String), z.boolean().transform(String)], {
    error: 'must be a string, a number, true or false',
  })
  .refine(noNul, 'must not hold a NUL character')

const file = z.strictObject(
  {
    command: z
      .array(argument, { error: given('must be a list of the program and its arguments, such as [vllm, serve]') })
      .min(1, 'must name a program')
      .refine(([program]) => program !== '', 'must begin with the name of a program'),
    env: z.record(z.string(), variable, { error: 'must be a mapping of names to values' }).default({}),
    gpus: z
      .array(
        z
          .int({ error: 'must be the number of a card, such as 0' })
          .min(0, 'must be the number of a card, such as 0')
          .max(MAX_GPU, `must be at most ${MAX_GPU}`),
        { error: 'must be a list of the numbers of cards, such as [0]' },
      )
      .min(1, 'must list at least one card; leave it out for all of them')
      .refine((list) => new Set(list).size === list.length, 'must list each card once')
      .optional(),
    ready_path: text
      .refine((path) => /^\/[^\s#]*$/.test(path) && !path.startsWith('//'), 'must be a path such as /health')
      .default('/health'),
    start_seconds: z
      .number({ error: `must be a number of seconds from 1 to ${MAX_START_SECONDS}` })
      .min(1, `must be a number of seconds from 1 to ${MAX_START_SECONDS}`)
      .max(MAX_START_SECONDS, `must be a number of seconds from 1 to ${MAX_START_SECONDS}`)
      .default(DEFAULT_START_SECONDS),
  },
  { error: 'must be a mapping with at least a command' },
)

function wrongVariable(name: string, hasGpus: boolean): string | null {
  if (!VARIABLE_FORM.test(name)) return 'is not the name of an environment variable'
  if (name === PORT_VARIABLE) return 'is set by the worker: write $PORT where the server takes its port'
  return name === GPUS_VARIABLE && hasGpus ? 'is set by gpus: leave out one of the two' : null
}

function given(message: string) {
  return ({ input }: { readonly input: unknown }) => (input === undefined ? 'is required' : message)
}

/**
 * Reads a worker's server file. It names a program, so it comes from the worker's disk, never from the database.
 * @param environment its `PATH` finds the program
 * @throws ConfigError with a line for each violation
 */
export function readServerFile(path: string, environment: Environment): ServerSpec {
  const { value, lineOf } = parse(path, read(path))
  const parsed = file.safeParse(value)
  const violations = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap(toViolations)),
    ...wrongVariables(value),
    ...missingProgram(value, environment.PATH),
  ]
  if (!parsed.success || violations.length > 0) {
    throw rejected(
      path,
      violations.map((one) => `${lineOf(one.path)}: ${one.path.join('.') || 'the file'} ${one.message}`),
    )
  }
  const { command, env, gpus = null, ready_path: readyPath, start_seconds: startSeconds } = parsed.data
  return { command, env, gpus, readyPath, startSeconds }
}

export function launchOf({ command, env, gpus }: ServerSpec, port: number, environment: Environment) {
  const withPort = (value: string) => value.replace(PORT_WORD, String(port))
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, withPort(value)]))
  const cards = gpus === null ? {} : { [GPUS_VARIABLE]: gpus.join(',') }
  return { command: command.map(withPort), env: { ...environment, ...own, ...cards, [PORT_VARIABLE]: String(port) } }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw rejected(path, [`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`])
  }
}

function parse(path: string, source: string) {
  const lines = new LineCounter()
  const lineAt = (offset: number) => `line ${lines.linePos(offset).line}`
  try {
    const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
    if (document.errors.length > 0) {
      throw rejected(
        path,
        document.errors.map(({ pos, message }) => `${lineAt(pos[0])}: ${message}`),
      )
    }
    const lineOf = (at: readonly PropertyKey[]): string => {
      for (let length = at.length; length > 0; length--) {
        const node = document.getIn(at.slice(0, length), true) as { range?: [number, number, number] } | undefined
        if (node?.range) return lineAt(node.range[0])
      }
      return 'line 1'
    }
    return { value: document.toJS({ maxAliasCount: MAX_ALIAS_COUNT }) as unknown, lineOf }
  } catch (error) {
    throw error instanceof ConfigError ? error : rejected(path, ['is nested too deeply, or repeats itself too often'])
  }
}

function wrongVariables(value: unknown): Violation[] {
  const { env, gpus } = (value ?? {}) as { env?: unknown; gpus?: unknown }
  if (env === null || typeof env !== 'object' || Array.isArray(env)) return []
  return Object.keys(env).flatMap((name) => {
    const message = wrongVariable(name, gpus !== undefined)
    return message === null ? [] : [{ path: ['env', name], message }]
  })
}

function missingProgram(value: unknown, inherited = ''): Violation[] {
  const { command, env } = (value ?? {}) as { command?: unknown; env?: { PATH?: unknown } | null }
  const program: unknown = Array.isArray(command) ? command[0] : undefined
  if (typeof program !== 'string' || program === '' || program.includes('\0')) return []
  const path = typeof env?.PATH === 'string' ? env.PATH : inherited
  const files = program.includes('/') ? [program] : path.split(delimiter).map((folder) => join(folder, program))
  if (files.some(isExecutable)) return []
  const what = program.includes('/') ? 'no executable file' : 'no program in PATH'
  return [{ path: ['command', 0], message: `names ${what}: ${program}` }]
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const rejected = (path: string, violations: readonly string[]): ConfigError =>
  new ConfigError(violations.map((violation) => `${path}: ${violation}`).join('\n'))
