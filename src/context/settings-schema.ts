import { isIPv6 } from 'node:net'
import { z } from 'zod'
import {
  anyText,
  cidrs,
  databaseUrl,
  integer,
  oidcFields,
  onOrOff,
  openaiFields,
  optionalInteger,
  origins,
  plainUrl,
  retentionFields,
  retryDelays,
  s3Url,
  secret,
  terms,
  traceFields,
  url,
} from './settings-fields.ts'

// Every environment variable with its rule and its description. docs/configuration.md is written from this file.

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

const DEFAULT_PORT = 4000

const addresses = {
  PORT: integer(0, 65_535, DEFAULT_PORT).describe('The port of the API. 0 takes a free one.'),
  HOST: anyText.default('127.0.0.1').describe('The address that the API listens on.'),
  METRICS_PORT: optionalInteger(0, 65_535).describe(
    'Serves `/metrics` for Prometheus, `/health/live` and `/health/ready` on this port, in every role.',
  ),
  METRICS_HOST: anyText.default('127.0.0.1').describe('The address of that port. Its pages ask for no key.'),
  PUBLIC_URL: plainUrl
    .optional()
    .describe(
      'The address that clients use, `http://HOST:PORT` unless set: the start of the URLs that the service hands out, except those of a bucket. Required if HOST is `0.0.0.0` or `::`.',
    ),
}

const database = {
  DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'A PostgreSQL 15 or newer, encoded in UTF8. Without it the embedded one runs under DATA_DIR. See [a PostgreSQL of your own](operating.md#a-postgresql-of-your-own).',
    ),
  DIRECT_DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'The same database without a pooler in transaction mode: needed if DATABASE_URL leads through one. See [poolers](several-machines.md#poolers).',
    ),
  READ_DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'A standby of the same database, which serves exports, statistics, counts of lists and backups while it has everything. See [a standby for reads](several-machines.md#a-standby-for-reads).',
    ),
  DATABASE_PREPARE: z
    .enum(['on', 'off'], { message: 'must be on or off' })
    .optional()
    .describe('Whether statements are prepared by name: `on`, but `off` behind a pooler in transaction mode.'),
  DATABASE_POOL_SIZE: integer(4, 1000, 20).describe('Connections in the pools of each process.'),
}

const data = {
  DATA_DIR: anyText.default('./data').describe('Embedded database, audio, secret key and exports under way.'),
  SONANT_MODELS_URL: plainUrl
    .optional()
    .describe(
      'A mirror of the releases of sherpa-onnx, with their paths (`tts-models/…`), which `sonant models pull` then reads instead of GitHub.',
    ),
  MODELS_MEMORY_MB: optionalInteger(1, 100_000_000).describe(
    "How much memory the processes of all sherpa-onnx models of one worker may hold together: half of the machine's, or of the container's, unless set. The model that was used least recently goes first. Workers on one machine share it out by this setting.",
  ),
  MIGRATE: onOrOff.describe(
    '`off`: a start refuses pending migrations, for operators that run `sonant migrate` as a job of its own.',
  ),
  WARM_UP: onOrOff.describe(
    '`off`: the built-in engine starts with its first text, which then takes a second longer, and not with the process.',
  ),
  ASK_ENGINES: onOrOff.describe(
    '`off`: workers ask idle engines for no sentence, so `sonant engines list` knows only what jobs show.',
  ),
  SECRET_KEY: secret
    .optional()
    .describe(
      'At least 32 characters. Signs URLs, and encrypts webhook secrets and the keys of speech servers. Without it a key is made once under DATA_DIR.',
    ),
  CELL: z
    .string()
    .regex(/^[0-9a-z]$/, 'must be one lower-case letter or digit')
    .optional()
    .describe(
      'The mark of this installation among several behind one address: one lower-case letter or digit, the same in all of its processes. New keys, ids of jobs and signed URLs carry it. See [cells](cells.md).',
    ),
  OLD_SECRET_KEY: secret
    .optional()
    .describe(
      'The previous key, until `sonant secrets rekey` has run. See [a new SECRET_KEY](webhooks.md#a-new-secret_key).',
    ),
}

const storage = {
  STORAGE_URL: s3Url
    .optional()
    .describe(
      '`s3://bucket?endpoint=…&region=…` keeps audio in an S3-compatible bucket instead of DATA_DIR (without the two: Amazon S3, `us-east-1`); `&public_endpoint=…` if callers reach it by another name.',
    ),
  AWS_ACCESS_KEY_ID: anyText
    .optional()
    .describe(
      'A static key for that bucket, which may get, put, delete and list objects and abort multipart uploads. Roles and session tokens are not read.',
    ),
  AWS_SECRET_ACCESS_KEY: anyText.optional().describe('The secret of that key.'),
}

const network = {
  EGRESS_ALLOW: cidrs.describe(
    'Comma-separated CIDR ranges that webhooks, outputs of workflows and media of the companion may lead to although they are private.',
  ),
  TRUSTED_PROXIES: cidrs.describe(
    'Comma-separated CIDR ranges of the proxies in front of the service. Only their `X-Forwarded-For` names the client, whose sign-ins are rate limited.',
  ),
  CORS_ORIGINS: origins.describe(
    'Comma-separated origins whose pages may call everything with an API key, never with a session, such as `https://dash.example.org,http://localhost:5173`; `*` lets every origin in.',
  ),
  RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000, 600).describe(
    'Requests per minute of each key or session, counted by each API process for itself. 600 a minute is about ten voice agents speaking at once for a key, which send a request for each sentence. 0: no limit.',
  ),
  MAX_TEXT_CHARACTERS: integer(1000, 1_000_000, 10_000).describe(
    'The highest `maxLength` that an endpoint file may give its `text`, and the limit of an endpoint without one. Bodies over REST, `/v1` and GraphQL may then be as long as such a text needs.',
  ),
}

const companion = {
  COMPANION_BASE_URL: url(['http:', 'https:'])
    .optional()
    .describe(
      "An OpenAI-compatible server for the companion's chat completions, with or without `/v1`. Without it replies are null and tags empty.",
    ),
  COMPANION_MODEL: anyText.default('default').describe('The model to name to that server.'),
  COMPANION_API_KEY: anyText.optional().describe('The key to send to that server.'),
  COMPANION_TIMEOUT_SECONDS: integer(1, 600, 60).describe(
    'How long one request of the companion may take, all its calls together. The same in every process.',
  ),
  COMPANION_BLOCKED_TERMS: terms.describe(
    'Replaces the short built-in list of blocked terms: terms between commas or one a line; a line that begins with `#` is a comment.',
  ),
  MODERATION_BASE_URL: url(['http:', 'https:'])
    .optional()
    .describe('An OpenAI-compatible server for `/v1/moderations`. Without it the blocked terms decide.'),
  MODERATION_MODEL: anyText.optional().describe('The model to name to that server.'),
  MODERATION_API_KEY: anyText.optional().describe('The key to send to that server.'),
}

const processes = {
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { message: `must be one of ${LOG_LEVELS.join(', ')}` })
    .default('info')
    .describe(`The least important lines that are logged: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}.`),
  LOG_REQUESTS: z
    .enum(['0', '1'], { message: 'must be 0 or 1' })
    .default('0')
    .describe('`1` adds a line for every request.'),
  SHUTDOWN_SECONDS: integer(0, 3600, 30).describe(
    'How many seconds a stopping process waits for running jobs and requests, before it releases them and ends, at most a few seconds later.',
  ),
  DRAIN_SECONDS: integer(0, 3600, 0).describe(
    'How many seconds a stopping process goes on serving before that, while `/health/ready` is 503.',
  ),
  NODE_ENV: z
    .string()
    .default('production')
    .describe('`development` allows introspection of the GraphQL schema without a key.'),
}

const webhooks = {
  WEBHOOK_RETRY_DELAYS: retryDelays.describe(
    'Seconds before each retry of a webhook delivery: one to three numbers that add up to at most 230.',
  ),
}

/** The variables by subject, in the order in which violations are reported. */
export const SETTINGS: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  Addresses: addresses,
  Database: database,
  'Data and keys': data,
  Storage: storage,
  'Network and limits': network,
  'Single sign-on': oidcFields,
  'The companion': companion,
  'OpenAI clients': openaiFields,
  Traces: traceFields,
  Webhooks: webhooks,
  Retention: retentionFields,
  Process: processes,
}

export const settingsSchema = z.object({
  ...addresses,
  ...database,
  ...data,
  ...storage,
  ...network,
  ...oidcFields,
  ...companion,
  ...openaiFields,
  ...traceFields,
  ...webhooks,
  ...retentionFields,
  ...processes,
})

const CREDENTIALS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]', '*'])

const LOOPBACK = '127.0.0.1'
/** A name may resolve to either address, so these count as one. */
const LOOPBACKS: ReadonlySet<string> = new Set(['localhost', LOOPBACK, '[::1]'])

function asInUrls(host: string): string {
  const url = `http://${isIPv6(host) ? `[${host}]` : host}`
  return URL.canParse(url) ? new URL(url).hostname : host
}

const isEveryAddress = (host: string): boolean => EVERY_ADDRESS.has(asInUrls(host))

function overlap(one: string, other: string): boolean {
  const hosts = [one, other].map(asInUrls)
  return hosts[0] === hosts[1] || hosts.every((host) => LOOPBACKS.has(host)) || hosts.some(isEveryAddress)
}

type Given = Readonly<Record<string, string | undefined>>

export function violationsBetween(given: Given): string[] {
  const { STORAGE_URL, PUBLIC_URL, HOST = LOOPBACK, DATABASE_URL, DIRECT_DATABASE_URL, READ_DATABASE_URL } = given
  const { PORT = String(DEFAULT_PORT), METRICS_PORT, METRICS_HOST = LOOPBACK } = given
  const missing = CREDENTIALS.filter((name) => STORAGE_URL !== undefined && given[name] === undefined)
  return [
    ...missing.map((name) => `${name} is needed for STORAGE_URL`),
    ...(PUBLIC_URL === undefined && isEveryAddress(HOST)
      ? [`PUBLIC_URL is needed where HOST is ${HOST}: no client can open such an address`]
      : []),
    ...(Number(PORT) !== 0 && Number(METRICS_PORT) === Number(PORT) && overlap(HOST, METRICS_HOST)
      ? ['METRICS_PORT must be another one than PORT']
      : []),
    ...(DIRECT_DATABASE_URL !== undefined && DATABASE_URL === undefined
      ? ['DIRECT_DATABASE_URL goes with a DATABASE_URL that leads through a pooler']
      : []),
    ...(READ_DATABASE_URL !== undefined && DATABASE_URL === undefined
      ? ['READ_DATABASE_URL goes with a DATABASE_URL whose standby it names']
      : []),
    ...(Number(given.JOB_ARCHIVE_DAYS) > 0 && Number(given.JOB_RETENTION_DAYS) > 0
      ? ['JOB_ARCHIVE_DAYS and JOB_RETENTION_DAYS exclude each other: jobs are archived or deleted']
      : []),
    ...oidcViolations(given),
  ]
}

function oidcViolations(given: Readonly<Record<string, string | undefined>>): readonly string[] {
  const needed = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']
  const [claim, roles] = [given.OIDC_ROLES_CLAIM, given.OIDC_ROLES]
  const paired = [
    ...(claim && roles === undefined ? ['OIDC_ROLES is needed for OIDC_ROLES_CLAIM'] : []),
    ...(roles && claim === undefined ? ['OIDC_ROLES_CLAIM is needed for OIDC_ROLES'] : []),
  ]
  if (given.OIDC_ISSUER !== undefined)
    return [
      ...needed.filter((name) => given[name] === undefined).map((name) => `${name} is needed for OIDC_ISSUER`),
      ...paired,
    ]
  const idle = Object.keys(oidcFields).filter((name) => given[name])
  return [...idle.map((name) => `${name} goes with an OIDC_ISSUER`), ...paired]
}
