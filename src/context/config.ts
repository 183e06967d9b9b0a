import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { z } from 'zod'
import type { Cidr } from '../egress/ip-ranges.ts'
import type { S3Bucket } from '../storage/s3-url.ts'
import type { TraceSettings } from '../telemetry/trace-budget.ts'
import { ConfigError } from './config-error.ts'
import {
  type OpenaiSettings,
  openaiSettings,
  type RetentionSettings,
  retentionSettings,
  traceSettings,
} from './settings-fields.ts'
import { settingsSchema, violationsBetween } from './settings-schema.ts'

const NAMES = Object.keys(settingsSchema.shape) as Name[]

export interface Settings {
  readonly port: number
  readonly host: string
  /** null: nothing is measured. */
  readonly metrics: { readonly port: number; readonly host: string } | null
  /** null: no spans are sent. */
  readonly traces: TraceSettings | null
  /** Without a trailing slash; null until the listening port is known. */
  readonly publicUrl: string | null
  /** null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null
  /** Bypasses a pooler in transaction mode; null: DATABASE_URL. */
  readonly directDatabaseUrl: string | null
  /** null: statements are prepared unless a pooler is in transaction mode. */
  readonly databasePrepare: boolean | null
  /** Both pools of the process together. */
  readonly databasePoolSize: number
  readonly dataDir: string
  /** Off: a start refuses to run with pending migrations. */
  readonly migrate: boolean
  readonly warmUp: boolean
  /** null: made once under `dataDir`. */
  readonly secretKey: string | null
  /** The previous SECRET_KEY until `sonant secrets rekey` has run. */
  readonly oldSecretKey: string | null
  /** null: files under `dataDir`. */
  readonly s3: S3Settings | null
  readonly egressAllow: readonly Cidr[]
  readonly trustedProxies: readonly Cidr[]
  /** `*` alone: all origins. */
  readonly corsOrigins: readonly string[]
  /** 0: unlimited. */
  readonly rateLimitPerMinute: number
  /** In Unicode code points. */
  readonly maxTextCharacters: number
  readonly companion: CompanionSettings
  readonly openai: OpenaiSettings
  readonly webhookRetryDelays: readonly number[]
  readonly retention: RetentionSettings
  readonly logLevel: string
  readonly logRequests: boolean
  readonly shutdownSeconds: number
  /** How long the stopping process still serves while it reports that it is not ready. */
  readonly drainSeconds: number
  readonly development: boolean
  /** Reads any other variable, or its `NAME_FILE`: endpoint files name their API keys. */
  readonly lookUp: (name: string) => string | undefined
}

interface S3Settings extends S3Bucket {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

type Name = keyof z.input<typeof settingsSchema>

export interface CompanionSettings {
  /** null: no model; nothing is answered. */
  readonly baseUrl: string | null
  readonly model: string
  readonly apiKey: string | null
  /** null: only the blocked terms apply. */
  readonly moderationBaseUrl: string | null
  readonly moderationModel: string | null
  readonly moderationApiKey: string | null
  /** null: the built-in list. */
  readonly blockedTerms: readonly string[] | null
  readonly timeoutSeconds: number
}

interface Values {
  readonly COMPANION_BASE_URL?: string | undefined
  readonly COMPANION_MODEL: string
  readonly COMPANION_API_KEY?: string | undefined
  readonly COMPANION_TIMEOUT_SECONDS: number
  readonly COMPANION_BLOCKED_TERMS?: readonly string[] | undefined
  readonly MODERATION_BASE_URL?: string | undefined
  readonly MODERATION_MODEL?: string | undefined
  readonly MODERATION_API_KEY?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** @throws ConfigError naming every violation */
export function readSettings(env: Environment): Settings {
  const violations: string[] = []
  const given: Partial<Record<Name, string>> = {}
  for (const name of NAMES) {
    const value = readVariable(env, name, violations)
    if (value !== undefined) given[name] = value
  }
  violations.push(...violationsBetween(given))
  const parsed = settingsSchema.safeParse(given)
  if (!parsed.success)
    violations.push(...parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`))
  if (!parsed.success || violations.length > 0) throw new ConfigError(violations.join('\n'))
  return toSettings(parsed.data, env)
}

/** An environment for child processes, without this service's secrets. */
export const withoutSettings = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !NAMES.includes(name.replace(/_FILE$/, '') as Name)))

function toSettings(values: z.output<typeof settingsSchema>, env: Environment): Settings {
  return {
    ...{ port: values.PORT, host: values.HOST },
    metrics: values.METRICS_PORT === undefined ? null : { port: values.METRICS_PORT, host: values.METRICS_HOST },
    traces: traceSettings(values),
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    databaseUrl: values.DATABASE_URL ?? null,
    directDatabaseUrl: values.DIRECT_DATABASE_URL ?? null,
    databasePrepare: values.DATABASE_PREPARE === undefined ? null : values.DATABASE_PREPARE === 'on',
    databasePoolSize: values.DATABASE_POOL_SIZE,
    dataDir: resolve(values.DATA_DIR),
    migrate: values.MIGRATE,
    warmUp: values.WARM_UP,
    secretKey: values.SECRET_KEY ?? null,
    oldSecretKey: values.OLD_SECRET_KEY ?? null,
    s3:
      values.STORAGE_URL === undefined
        ? null
        : {
            ...values.STORAGE_URL,
            accessKeyId: values.AWS_ACCESS_KEY_ID ?? '',
            secretAccessKey: values.AWS_SECRET_ACCESS_KEY ?? '',
          },
    egressAllow: values.EGRESS_ALLOW,
    trustedProxies: values.TRUSTED_PROXIES,
    corsOrigins: values.CORS_ORIGINS,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    maxTextCharacters: values.MAX_TEXT_CHARACTERS,
    companion: companionSettings(values),
    openai: openaiSettings(values),
    webhookRetryDelays: values.WEBHOOK_RETRY_DELAYS,
    retention: retentionSettings(values),
    logLevel: values.LOG_LEVEL,
    logRequests: values.LOG_REQUESTS === '1',
    shutdownSeconds: values.SHUTDOWN_SECONDS,
    drainSeconds: values.DRAIN_SECONDS,
    development: values.NODE_ENV === 'development',
    lookUp: (name) => readVariable(env, name, []),
  }
}

const companionSettings = (values: Values): CompanionSettings => ({
  baseUrl: values.COMPANION_BASE_URL ?? null,
  model: values.COMPANION_MODEL,
  apiKey: values.COMPANION_API_KEY ?? null,
  moderationBaseUrl: values.MODERATION_BASE_URL ?? null,
  moderationModel: values.MODERATION_MODEL ?? null,
  moderationApiKey: values.MODERATION_API_KEY ?? null,
  blockedTerms: values.COMPANION_BLOCKED_TERMS ?? null,
  timeoutSeconds: values.COMPANION_TIMEOUT_SECONDS,
})

/** Reads `NAME` or the file of `NAME_FILE`; an empty variable counts as absent. */
function readVariable(env: Environment, name: string, violations: string[]): string | undefined {
  const direct = env[name] === '' ? undefined : env[name]
  const file = env[`${name}_FILE`] === '' ? undefined : env[`${name}_FILE`]
  if (file === undefined) return direct
  if (direct !== undefined) {
    violations.push(`Set either ${name} or ${name}_FILE, not both`)
    return undefined
  }
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    violations.push(`${name}_FILE names a file that cannot be read: ${file} (${reason})`)
    return undefined
  }
}
