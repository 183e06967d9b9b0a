import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { settingsSchema, violationsBetween } from './settings-schema.ts'

const MEGA = 1_000_000
const NAMES = Object.keys(settingsSchema.shape) as Name[]

export type Settings = Readonly<ReturnType<typeof toSettings>>
export type OidcSettings = NonNullable<Settings['oidc']>
export type CompanionSettings = Settings['companion']

type Name = keyof z.input<typeof settingsSchema>
type Values = z.output<typeof settingsSchema>
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

const isSetting = (name: string): boolean => NAMES.includes(name.replace(/_FILE$/, '') as Name)

/** An environment for child processes, without this service's secrets. */
export const withoutSettings = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isSetting(name)))

const toSettings = (values: Values, env: Environment) => ({
  ...networkSettings(values),
  ...oidcSettings(values),
  ...dataSettings(values),
  ...processSettings(values),
  /**
   * Reads a variable that is no setting, or its `NAME_FILE`: endpoint files name their API keys.
   * Security: a file must not have SECRET_KEY or DATABASE_URL sent to the server that it names.
   */
  lookUp: (name: string) => (isSetting(name) ? undefined : readVariable(env, name, [])),
})

const networkSettings = (values: Values) => ({
  port: values.PORT,
  host: values.HOST,
  /** null: nothing is measured. */
  metrics: values.METRICS_PORT === undefined ? null : { port: values.METRICS_PORT, host: values.METRICS_HOST },
  /** null: no spans are sent. */
  traces:
    values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
      ? null
      : { endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT, sampler: values.OTEL_TRACES_SAMPLER ?? null },
  /** Without a trailing slash; null until the listening port is known. */
  publicUrl: values.PUBLIC_URL?.replace(/\/+$/, '') ?? null,
  egressAllow: values.EGRESS_ALLOW,
  trustedProxies: values.TRUSTED_PROXIES,
  /** `*` alone: all origins. */
  corsOrigins: values.CORS_ORIGINS,
  /** 0: unlimited. */
  rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
  /** In Unicode code points. */
  maxTextCharacters: values.MAX_TEXT_CHARACTERS,
  companion: {
    /** null: no model; nothing is answered. */
    baseUrl: values.COMPANION_BASE_URL ?? null,
    model: values.COMPANION_MODEL,
    apiKey: values.COMPANION_API_KEY ?? null,
    /** null: only the blocked terms apply. */
    moderationBaseUrl: values.MODERATION_BASE_URL ?? null,
    moderationModel: values.MODERATION_MODEL ?? null,
    moderationApiKey: values.MODERATION_API_KEY ?? null,
    /** null: the built-in list. */
    blockedTerms: values.COMPANION_BLOCKED_TERMS ?? null,
    timeoutSeconds: values.COMPANION_TIMEOUT_SECONDS,
  },
  /** `model` is a slug or an alias; null: `tts`. `waitSeconds` lasts until the first audio, time in the queue included. */
  openai: { model: values.OPENAI_MODEL ?? null, waitSeconds: values.OPENAI_WAIT_SECONDS },
  webhookRetryDelays: values.WEBHOOK_RETRY_DELAYS,
})

const oidcSettings = (values: Values) => ({
  /** null: users sign in by password or link alone. */
  oidc:
    values.OIDC_ISSUER === undefined
      ? null
      : {
          issuer: new URL(values.OIDC_ISSUER).href,
          clientId: values.OIDC_CLIENT_ID ?? '',
          clientSecret: values.OIDC_CLIENT_SECRET ?? '',
          name: values.OIDC_NAME ?? new URL(values.OIDC_ISSUER).host,
          /** Id or name; null: nobody joins who was not invited. */
          account: values.OIDC_ACCOUNT ?? null,
          scopes: values.OIDC_SCOPES,
          trustsEmails: values.OIDC_EMAILS === 'trusted',
          /** null: roles are given here, not by the provider. */
          roles:
            values.OIDC_ROLES_CLAIM === undefined || values.OIDC_ROLES === undefined
              ? null
              : { claim: values.OIDC_ROLES_CLAIM, of: values.OIDC_ROLES },
        },
})

const dataSettings = (values: Values) => ({
  /** null: the embedded PostgreSQL. */
  databaseUrl: values.DATABASE_URL ?? null,
  /** Bypasses a pooler in transaction mode; null: DATABASE_URL. */
  directDatabaseUrl: values.DIRECT_DATABASE_URL ?? null,
  /** A standby for long reads; null: the primary serves them. */
  readDatabaseUrl: values.READ_DATABASE_URL ?? null,
  /** null: statements are prepared unless a pooler is in transaction mode. */
  databasePrepare: values.DATABASE_PREPARE === undefined ? null : values.DATABASE_PREPARE === 'on',
  /** Both pools of the process together. */
  databasePoolSize: values.DATABASE_POOL_SIZE,
  dataDir: resolve(values.DATA_DIR),
  /** null: the releases at GitHub. */
  modelsUrl: values.SONANT_MODELS_URL ?? null,
  /** Off: a start refuses to run with pending migrations. */
  migrate: values.MIGRATE,
  /** null: made once under `dataDir`. */
  secretKey: values.SECRET_KEY ?? null,
  /** null: the installation is no cell. */
  cell: values.CELL ?? null,
  /** The previous SECRET_KEY until `sonant secrets rekey` has run. */
  oldSecretKey: values.OLD_SECRET_KEY ?? null,
  /** null: files under `dataDir`. */
  s3:
    values.STORAGE_URL === undefined
      ? null
      : {
          ...values.STORAGE_URL,
          accessKeyId: values.AWS_ACCESS_KEY_ID ?? '',
          secretAccessKey: values.AWS_SECRET_ACCESS_KEY ?? '',
        },
  /** In days; 0: for ever. */
  retention: {
    jobDays: values.JOB_RETENTION_DAYS,
    /** 0: never. */
    archiveDays: values.JOB_ARCHIVE_DAYS,
    artifactDays: values.ARTIFACT_RETENTION_DAYS,
    chatDays: values.CHAT_RETENTION_DAYS,
  },
})

const processSettings = (values: Values) => ({
  /** False: ended jobs keep no inputs. */
  keepsTexts: values.JOB_TEXTS,
  warmUp: values.WARM_UP,
  askEngines: values.ASK_ENGINES,
  logLevel: values.LOG_LEVEL,
  logRequests: values.LOG_REQUESTS === '1',
  shutdownSeconds: values.SHUTDOWN_SECONDS,
  /** How long the stopping process still serves while it reports that it is not ready. */
  drainSeconds: values.DRAIN_SECONDS,
  /** In bytes; undefined: half of the machine's memory. */
  modelsBytes: values.MODELS_MEMORY_MB === undefined ? undefined : values.MODELS_MEMORY_MB * MEGA,
  development: values.NODE_ENV === 'development',
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
