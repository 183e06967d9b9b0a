import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readSettings } from '../../src/context/config.ts'

/** Values that no start accepts, for every variable that does not take any text. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  PORT: ['70000', '-1', '80.5', '0x50', 'eighty', ' 80'],
  METRICS_PORT: ['65536', '-1', 'none'],
  OTEL_TRACES_SAMPLER: ['sometimes', 'jaeger_remote'],
  OTEL_TRACES_SAMPLER_ARG: ['2', '-0.5', 'half', '50%'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'grpc://collector:4317', 'http://user:word@collector'],
  PUBLIC_URL: [
    ...['voice.example.org', 'ftp://voice.example.org', 'https://a@voice.example.org', 'https://a.example/?b'],
    ...['https://a.example/#top', 'https://a.example?'],
  ],
  DATABASE_URL: ['mysql://one/db', 'one', 'postgresql://one,/db', 'postgresql://one/db?target_session_attrs=standby'],
  DIRECT_DATABASE_URL: ['mysql://one/db', 'one'],
  READ_DATABASE_URL: ['mysql://one/db', 'one'],
  DATABASE_PREPARE: ['yes', 'true'],
  DATABASE_POOL_SIZE: ['3', '0', '-4', '1001', 'many'],
  SONANT_MODELS_URL: ['mirror', 'ftp://mirror.example', 'https://me@mirror.example'],
  MODELS_MEMORY_MB: ['0', '-1', '2G', '1.5'],
  MIGRATE: ['yes', '0'],
  CELL: ['A', 'ab', '-'],
  WARM_UP: ['later', '1'],
  ASK_ENGINES: ['later', '1'],
  SECRET_KEY: ['of-31-characters-and-not-one-more'.slice(0, 31), 'change-me-change-me-change-me-change-me'],
  OLD_SECRET_KEY: ['short'],
  WEBHOOK_RETRY_DELAYS: ['5,25,75,1', '100,100,100', 'soon', '-5', '5;25', ','],
  STORAGE_URL: ['https://bucket', 's3://', 's3://ab', 'bucket'],
  EGRESS_ALLOW: ['10.0.0.0/33', 'internal', '10.0.0.0-10.0.0.9'],
  TRUSTED_PROXIES: ['proxy', '10.0.0.300/8'],
  CORS_ORIGINS: ['https://a.example/path', '*,https://a.example', 'a.example'],
  OIDC_ISSUER: ['id.example.org', 'http://id.example.org', 'https://id.example.org/?a', 'https://me@id.example.org'],
  OIDC_SCOPES: ['email', 'openid,email', 'openid '],
  OIDC_EMAILS: ['all', 'Trusted'],
  OIDC_ROLES: ['admins', 'admins=operator', 'admins=owner,', '=owner'],
  OPENAI_WAIT_SECONDS: ['0', '3601', '2m'],
  COMPANION_BASE_URL: ['ftp://model', 'model:8000'],
  COMPANION_TIMEOUT_SECONDS: ['0', '601', '1.5'],
  MODERATION_BASE_URL: ['model'],
  MAX_TEXT_CHARACTERS: ['999', '1000001', 'many'],
  RATE_LIMIT_PER_MINUTE: ['-1', '1000001', 'none'],
  SHUTDOWN_SECONDS: ['-1', '3601', '30s'],
  DRAIN_SECONDS: ['-1', '3601', '1.5'],
  JOB_RETENTION_DAYS: ['1', '399', '-1', '36501', 'ever'],
  JOB_ARCHIVE_DAYS: ['1', '399', '-1', '36501', 'ever'],
  JOB_TEXTS: ['yes', '1', 'ON'],
  ARTIFACT_RETENTION_DAYS: ['-1', '36501', '1.5'],
  CHAT_RETENTION_DAYS: ['-1', '36501', 'ever'],
  LOG_LEVEL: ['shout', 'INFO'],
  LOG_REQUESTS: ['2', 'yes'],
}
/** Names, keys and texts; what is not there for them is found out when it is used. */
const ANY_TEXT: ReadonlySet<string> = new Set([
  ...['HOST', 'METRICS_HOST', 'DATA_DIR', 'NODE_ENV', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'OPENAI_MODEL'],
  ...['COMPANION_MODEL', 'COMPANION_API_KEY', 'MODERATION_MODEL', 'MODERATION_API_KEY', 'COMPANION_BLOCKED_TERMS'],
  ...['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_NAME', 'OIDC_ACCOUNT', 'OIDC_ROLES_CLAIM'],
])
const CLIENT = { OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' }
const OIDC = { OIDC_ISSUER: 'https://id.example.org', ...CLIENT }
/** Other variables that a variable needs. */
const WITH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  DIRECT_DATABASE_URL: { DATABASE_URL: 'postgresql://pooler/db' },
  READ_DATABASE_URL: { DATABASE_URL: 'postgresql://primary/db' },
  OIDC_ISSUER: CLIENT,
  OIDC_SCOPES: OIDC,
  OIDC_EMAILS: OIDC,
  OIDC_ROLES: { ...OIDC, OIDC_ROLES_CLAIM: 'groups' },
  STORAGE_URL: { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' },
}

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
const documented = [...page.matchAll(/^\| `([A-Z][A-Z_]+)` \|/gm)].map(([, name = '']) => name)

/** The lines that a start ends with. */
function violations(env: Readonly<Record<string, string>>): string[] {
  try {
    readSettings(env)
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

describe('wrong values', () => {
  test('are known of every documented variable but those that take any text', () => {
    expect(documented.length).toBeGreaterThan(40)
    expect(documented.filter((name) => WRONG[name] === undefined && !ANY_TEXT.has(name))).toEqual([])
  })

  test.each(Object.entries(WRONG).flatMap(([name, all]) => all.map((value) => [name, value] as const)))(
    '%s=%s is refused in one line, which names the variable alone',
    (name, value) => {
      expect(violations({ ...WITH[name], [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
    },
  )

  test.each([...ANY_TEXT].filter((name) => name !== 'COMPANION_BLOCKED_TERMS' && name !== 'NODE_ENV'))(
    'an empty file for %s is refused, where the variable itself set to nothing counts as absent',
    (name) => {
      expect(violations({ [name]: '' })).toEqual([])
      expect(violations({ [`${name}_FILE`]: '/dev/null' })).toEqual([`${name} must not be empty`])
    },
  )

  test('of jobs that are to be archived and deleted are refused', () => {
    const both = violations({ JOB_ARCHIVE_DAYS: '400', JOB_RETENTION_DAYS: '500' })
    expect(both).toEqual([expect.stringContaining('exclude each other')])
  })

  test('of a sign-in provider that lack others are refused, each in one sentence', () => {
    expect(violations({ OIDC_ISSUER: OIDC.OIDC_ISSUER })).toEqual([
      'OIDC_CLIENT_ID is needed for OIDC_ISSUER',
      'OIDC_CLIENT_SECRET is needed for OIDC_ISSUER',
    ])
    expect(violations({ OIDC_NAME: 'Acme' })).toEqual(['OIDC_NAME goes with an OIDC_ISSUER'])
    expect(violations({ ...OIDC, OIDC_ROLES_CLAIM: 'groups' })).toEqual(['OIDC_ROLES is needed for OIDC_ROLES_CLAIM'])
    expect(violations({ ...OIDC, OIDC_ROLES: 'a=owner' })).toEqual(['OIDC_ROLES_CLAIM is needed for OIDC_ROLES'])
    expect(violations({ ...OIDC, OIDC_ISSUER: 'http://localhost:8080/realms/voice' })).toEqual([])
  })

  test('of secrets and passwords are not repeated', () => {
    const env = { SECRET_KEY: 'a-secret', OLD_SECRET_KEY: 'another', DATABASE_URL: 'mysql://me:hunter2@one/db' }
    const lines = violations({
      ...env,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:word@collector',
      STORAGE_URL: 's3://me:word@ab',
    })
    expect(lines.length).toBeGreaterThanOrEqual(5)
    expect(lines.join('\n')).not.toMatch(/a-secret|another[^ ]|hunter2|me:word/)
  })
})
