import { z } from 'zod'
import { serverUrls } from '../db/connections/postgres-url.ts'
import { parseCidr } from '../egress/ip-ranges.ts'
import { parseS3Url } from '../storage/s3-url.ts'
import { isLoopback } from '../values/loopback.ts'
import { MIN_SECRET_CHARACTERS } from './secret-key.ts'

const EXAMPLE_SECRET = /^change[-_ ]?me/i
const MAX_RETRY_DELAYS_SECONDS = 230

export const anyText = z.string().min(1, 'must not be empty')

export const integer = (min: number, max: number, fallback: number) => wholeNumber(min, max).default(fallback)

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)

export const openaiFields = {
  OPENAI_MODEL: anyText
    .optional()
    .describe("The endpoint that OpenAI's own names of models stand for at `/v1`; `tts` unless set."),
  OPENAI_WAIT_SECONDS: integer(1, 3600, 120).describe('How long a request at `/v1` waits for its first sound.'),
}

const MIN_JOB_DAYS = 400
const MAX_DAYS = 36_500

const jobDays = (forEver: string) =>
  integer(0, MAX_DAYS, 0).refine(
    (days) => days === 0 || days >= MIN_JOB_DAYS,
    `must be 0 (${forEver}) or at least ${MIN_JOB_DAYS}: an export reaches back 366 days`,
  )

export const retentionFields = {
  JOB_RETENTION_DAYS: jobDays('for ever').describe(
    'For how many days jobs are kept: 400 or more. 0: for ever. The ledger keeps every entry.',
  ),
  JOB_ARCHIVE_DAYS: jobDays('never').describe(
    'After how many days the jobs of a whole month move to files in the store: 400 or more, in the place of `JOB_RETENTION_DAYS`. 0: never.',
  ),
  JOB_TEXTS: z
    .enum(['on', 'off'], { message: 'must be on or off' })
    .default('on')
    .transform((value) => value === 'on')
    .describe(
      '`off`: the inputs of a job of speech or of a workflow, its text among them, are deleted when it ends. The same in every process. See [texts](operating.md#texts-of-jobs).',
    ),
  ARTIFACT_RETENTION_DAYS: integer(0, MAX_DAYS, 0).describe(
    'For how many days audio is kept. URLs of deleted audio answer 410. 0: for ever.',
  ),
  CHAT_RETENTION_DAYS: integer(0, MAX_DAYS, 0).describe(
    'For how many days chats of the companion are kept. 0: for ever.',
  ),
}

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`])

const SHARE = /^(0(\.\d+)?|1(\.0+)?)$/

export const url = (protocols: readonly string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    message: `must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`,
  })

export const plainUrl = url(['http:', 'https:']).refine((text) => {
  if (!URL.canParse(text)) return true
  const { username, password } = new URL(text)
  return username === '' && password === '' && !/[?#]/.test(text)
}, 'must not hold credentials, a query or a fragment')

export const traceFields = {
  OTEL_EXPORTER_OTLP_ENDPOINT: plainUrl
    .optional()
    .describe(
      'The collector that traces go to. It takes three packages: see [health and metrics](operating.md#health-and-metrics). Other `OTEL_*` variables set name and headers.',
    ),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, { message: `must be one of ${SAMPLERS.join(', ')}` })
    .optional()
    .describe(`How traces are sampled: ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}.`),
  // The SDK reads this variable itself and takes an invalid number for 1.
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(SHARE, 'must be a number from 0 to 1')
    .optional()
    .describe('The share of traces that `traceidratio` keeps, from 0 to 1.'),
}

export const optionalInteger = (min: number, max: number) => wholeNumber(min, max).optional()

export const onOrOff = z
  .enum(['on', 'off'], { message: 'must be on or off' })
  .default('on')
  .transform((text) => text === 'on')

export const databaseUrl = z.string().superRefine((text, issues) => {
  try {
    serverUrls(text)
  } catch (error) {
    issues.addIssue({ code: 'custom', message: (error as Error).message })
  }
})

export const cidrs = z
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

export const origins = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .superRefine((list, issues) => {
    const wrong = list.find((one) => one !== '*' && !isOrigin(one))
    const message =
      wrong !== undefined
        ? `must be a comma-separated list of origins such as https://app.example.org, without a path; this is none: ${wrong}`
        : list.includes('*') && list.length > 1
          ? 'must be either * or a list of origins'
          : null
    if (message !== null) issues.addIssue({ code: 'custom', message })
  })

const isOrigin = (text: string): boolean =>
  /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text

export const terms = z
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

export const secret = z
  .string()
  .min(MIN_SECRET_CHARACTERS, `must have at least ${MIN_SECRET_CHARACTERS} characters`)
  .refine(
    (text) => !EXAMPLE_SECRET.test(text),
    'must not be the value of an example: make one with openssl rand -base64 33',
  )

export const retryDelays = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,3})?(,\d{1,3}(\.\d{1,3})?){0,2}$/, 'must be one to three numbers of seconds, such as 5,25,75')
  .transform((text) => text.split(',').map(Number))
  .refine(
    (delays) => delays.reduce((sum, delay) => sum + delay, 0) <= MAX_RETRY_DELAYS_SECONDS,
    `must add up to at most ${MAX_RETRY_DELAYS_SECONDS}: receivers refuse what is signed longer ago than 300 s`,
  )
  .default([5, 25, 75])

export const s3Url = z.string().transform((text, issues) => {
  try {
    return parseS3Url(text)
  } catch (error) {
    issues.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
})

const issuer = plainUrl.refine((text) => {
  if (!URL.canParse(text)) return true
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || isLoopback(hostname)
}, 'must start with https://, except on this machine')

const ROLE_PAIR = /^(.+)=(owner|member)$/

const roleMap = z.string().transform((text, issues) => {
  const pairs = text.split(',').map((part) => ROLE_PAIR.exec(part.trim()))
  if (pairs.every((pair) => pair !== null))
    return new Map(pairs.map(([, value = '', role]) => [value.trim(), role as 'owner' | 'member']))
  issues.addIssue({ code: 'custom', message: 'must be pairs such as voice-admins=owner,voice-users=member' })
  return z.NEVER
})

export const oidcFields = {
  OIDC_ISSUER: issuer
    .optional()
    .describe(
      'The issuer of an OpenID Connect provider that signs users in. See [single sign-on](access.md#single-sign-on).',
    ),
  OIDC_CLIENT_ID: anyText.optional().describe('The client that the provider knows this service by.'),
  OIDC_CLIENT_SECRET: anyText.optional().describe('The secret of that client.'),
  OIDC_NAME: anyText
    .optional()
    .describe('The name of the provider on the sign-in page; the host of the issuer unless set.'),
  OIDC_ACCOUNT: anyText
    .optional()
    .describe(
      'Id or name of the account that users join at their first sign-in. Without it only invited users sign in.',
    ),
  OIDC_SCOPES: z
    .string()
    .regex(/^openid( [!-~]+)*$/, 'must begin with openid, with spaces between the scopes')
    .default('openid email')
    .describe('The scopes to ask the provider for.'),
  OIDC_EMAILS: z
    .enum(['verified', 'trusted'])
    .default('verified')
    .describe(
      'Which addresses count at a first sign-in: `verified` those with `email_verified`, `trusted` all that the provider sends.',
    ),
  OIDC_ROLES_CLAIM: anyText
    .optional()
    .describe('The claim that holds roles or groups, such as `groups` or `realm_access.roles`. Needs OIDC_ROLES.'),
  OIDC_ROLES: roleMap
    .optional()
    .describe(
      'Which values of that claim make owners and members, such as `voice-admins=owner,voice-users=member`. Nobody else signs in.',
    ),
}
