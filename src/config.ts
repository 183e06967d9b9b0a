import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseS3Url, type S3Place } from './storage/s3-url.ts'
import { type Cidr, parseCidr } from './webhooks/guard-address.ts'

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
  /** null: files under `dataDir`. */
  readonly s3: S3Settings | null
  readonly egressAllow: readonly Cidr[]
  /** 0 = unlimited. */
  readonly rateLimitPerMinute: number
  readonly logLevel: string
  /** How long a stopping process waits for what is running. */
  readonly shutdownSeconds: number
  /** Lets strangers introspect the GraphQL schema. */
  readonly development: boolean
}

/** An S3-compatible bucket and the key that opens it. */
export interface S3Settings extends S3Place {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** The environment is wrong: one line per mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const MIN_SECRET_CHARACTERS = 32

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

const s3Url = z.string().transform((text, issues) => {
  try {
    return parseS3Url(text)
  } catch (error) {
    issues.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
})

const schema = z.object({
  PORT: integer(0, 65_535, 4000),
  HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  PUBLIC_URL: url(['http:', 'https:']).optional(),
  DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
  DATA_DIR: z.string().min(1, 'must not be empty').default('./data'),
  SECRET_KEY: z
    .string()
    .min(MIN_SECRET_CHARACTERS, `must have at least ${MIN_SECRET_CHARACTERS} characters`)
    .optional(),
  STORAGE_URL: s3Url.optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  EGRESS_ALLOW: cidrs,
  RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000, 600),
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

/** Together they open the bucket of STORAGE_URL. */
const CREDENTIALS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const
const NAMES = Object.keys(schema.shape) as Name[]

/** Reads and checks the whole environment at once. @throws ConfigError naming every mistake. */
export function readSettings(env: Environment): Settings {
  const mistakes: string[] = []
  const given: Partial<Record<Name, string>> = {}
  for (const name of NAMES) {
    const value = readVariable(env, name, mistakes)
    if (value !== undefined) given[name] = value
  }
  for (const name of CREDENTIALS) {
    if (given.STORAGE_URL !== undefined && given[name] === undefined) mistakes.push(`${name} is needed for STORAGE_URL`)
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
    s3:
      values.STORAGE_URL === undefined
        ? null
        : {
            ...values.STORAGE_URL,
            accessKeyId: values.AWS_ACCESS_KEY_ID ?? '',
            secretAccessKey: values.AWS_SECRET_ACCESS_KEY ?? '',
          },
    egressAllow: values.EGRESS_ALLOW,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    logLevel: values.LOG_LEVEL,
    shutdownSeconds: values.SHUTDOWN_SECONDS,
    development: values.NODE_ENV === 'development',
  }
}
