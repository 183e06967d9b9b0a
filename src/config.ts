import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { MIN_SECRET_CHARACTERS } from './secret-key.ts'
import { type Cidr, parseCidr } from './webhooks/guard-address.ts'

/** The servers that companion work is done by (contract.md section 8). */
export interface CompanionSettings {
  /** null: no model, nothing is answered. */
  readonly baseUrl: string | null
  readonly model: string
  readonly apiKey: string | null
  /** null: the blocked terms decide. */
  readonly moderationBaseUrl: string | null
  /** null: the server's own choice. */
  readonly moderationModel: string | null
  readonly moderationApiKey: string | null
  /** null: the built-in list. */
  readonly blockedTerms: readonly string[] | null
  /** For one request, all calls together. */
  readonly timeoutSeconds: number
}

/** Everything the environment can set (contract.md section 9). */
export interface Settings {
  readonly port: number
  readonly host: string
  /** Where callers reach the service, without a trailing slash; null until the listening port is known. */
  readonly publicUrl: string | null
  /** null: the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | null
  readonly dataDir: string
  /** null: made once under `dataDir`. */
  readonly secretKey: string | null
  readonly egressAllow: readonly Cidr[]
  /** 0 = unlimited. */
  readonly rateLimitPerMinute: number
  readonly companion: CompanionSettings
  readonly logLevel: string
  /** How long a stopping process waits for what is running. */
  readonly shutdownSeconds: number
  /** Lets strangers introspect the GraphQL schema. */
  readonly development: boolean
}

/** The environment is wrong: one line per mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const integer = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)
    .default(fallback)

const url = (protocols: readonly string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    message: `must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`,
  })

/** It is the start of every address that is given out: what follows must be a path. */
const isPlainUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return true
  const { username, password } = new URL(text)
  return username === '' && password === '' && !/[?#]/.test(text)
}

const cidrs = z
  .string()
  .default('')
  .transform((text, issues) => {
    try {
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .map(parseCidr)
    } catch (error) {
      issues.addIssue({
        code: 'custom',
        message: `must be a comma-separated list of CIDR ranges: ${(error as Error).message}`,
      })
      return z.NEVER
    }
  })

/** One term a line or between commas; lines that start with # are comments. */
const terms = z
  .string()
  .transform((text) =>
    text
      .split('\n')
      .filter((line) => !line.trimStart().startsWith('#'))
      .flatMap((line) => line.split(','))
      .map((term) => term.trim())
      .filter((term) => term !== ''),
  )
  .optional()

const schema = z.object({
  PORT: integer(0, 65_535, 4000),
  HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  PUBLIC_URL: url(['http:', 'https:'])
    .refine(isPlainUrl, 'must not hold credentials, a query or a fragment')
    .optional(),
  DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
  DATA_DIR: z.string().min(1, 'must not be empty').default('./data'),
  SECRET_KEY: z
    .string()
    .min(MIN_SECRET_CHARACTERS, `must have at least ${MIN_SECRET_CHARACTERS} characters`)
    .optional(),
  EGRESS_ALLOW: cidrs,
  RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000, 600),
  COMPANION_BASE_URL: url(['http:', 'https:']).optional(),
  COMPANION_MODEL: z.string().default('default'),
  COMPANION_API_KEY: z.string().optional(),
  COMPANION_TIMEOUT_SECONDS: integer(1, 600, 60),
  COMPANION_BLOCKED_TERMS: terms,
  MODERATION_BASE_URL: url(['http:', 'https:']).optional(),
  MODERATION_MODEL: z.string().optional(),
  MODERATION_API_KEY: z.string().optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      message: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
  SHUTDOWN_SECONDS: integer(0, 3600, 30),
  NODE_ENV: z.string().default('production'),
})

type Name = keyof z.input<typeof schema>
type Environment = Readonly<Record<string, string | undefined>>

const NAMES = Object.keys(schema.shape) as Name[]

/** Reads and checks the whole environment at once. @throws ConfigError naming every mistake. */
export function readSettings(env: Environment): Settings {
  const mistakes: string[] = []
  const given: Partial<Record<Name, string>> = {}
  for (const name of NAMES) {
    const value = readVariable(env, name, mistakes)
    if (value !== undefined) given[name] = value
  }
  const parsed = schema.safeParse(given)
  if (!parsed.success) mistakes.push(...parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`))
  if (!parsed.success || mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return toSettings(parsed.data)
}

/** `NAME`, or the content of the file that `NAME_FILE` names; a variable set to nothing counts as absent. */
function readVariable(env: Environment, name: Name, mistakes: string[]): string | undefined {
  const direct = env[name] === '' ? undefined : env[name]
  const file = env[`${name}_FILE`] === '' ? undefined : env[`${name}_FILE`]
  if (file === undefined) return direct
  if (direct !== undefined) {
    mistakes.push(`${name} and ${name}_FILE contradict each other: set only one of them`)
    return undefined
  }
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    mistakes.push(`${name}_FILE names a file that cannot be read: ${file} (${reason})`)
    return undefined
  }
}

function toSettings(values: z.output<typeof schema>): Settings {
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    databaseUrl: values.DATABASE_URL ?? null,
    dataDir: resolve(values.DATA_DIR),
    secretKey: values.SECRET_KEY ?? null,
    egressAllow: values.EGRESS_ALLOW,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    companion: {
      baseUrl: values.COMPANION_BASE_URL ?? null,
      model: values.COMPANION_MODEL,
      apiKey: values.COMPANION_API_KEY ?? null,
      moderationBaseUrl: values.MODERATION_BASE_URL ?? null,
      moderationModel: values.MODERATION_MODEL ?? null,
      moderationApiKey: values.MODERATION_API_KEY ?? null,
      blockedTerms: values.COMPANION_BLOCKED_TERMS ?? null,
      timeoutSeconds: values.COMPANION_TIMEOUT_SECONDS,
    },
    logLevel: values.LOG_LEVEL,
    shutdownSeconds: values.SHUTDOWN_SECONDS,
    development: values.NODE_ENV === 'development',
  }
}
