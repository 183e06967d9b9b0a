import { z } from 'zod'
import { serverUrls } from '../db/connections/server-urls.ts'
import { parseCidr } from '../egress/ip-ranges.ts'
import { parseS3Url } from '../storage/s3-url.ts'
import { MIN_SECRET_CHARACTERS } from './secret-key.ts'

// What one environment variable may hold: a text in, a checked value out, and one line of what is wrong otherwise.

/** Known to every reader of an example. */
const EXAMPLE_SECRET = /^change[-_ ]?me/i
/** With four attempts of 10 s in between the last one still starts in time. */
const MAX_RETRY_DELAYS_SECONDS = 230

/** Any text: a variable that is set to nothing counts as absent, so that only an empty file gives none. */
export const anyText = z.string().min(1, 'must not be empty')

/** A whole number within limits. */
export const integer = (min: number, max: number, fallback: number) => wholeNumber(min, max).default(fallback)

/** The same where nothing is set unless the operator sets it. */
export const optionalInteger = (min: number, max: number) => wholeNumber(min, max).optional()

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)

/** A switch that is on unless it is turned off. */
export const onOrOff = z
  .enum(['on', 'off'], { message: 'must be on or off' })
  .default('on')
  .transform((text) => text === 'on')

/** A URL of one of these protocols, as it is written. */
export const url = (protocols: readonly string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    message: `must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`,
  })

/** One URL of PostgreSQL, with one server or several between commas. */
export const databaseUrl = z.string().superRefine((text, issues) => {
  try {
    serverUrls(text)
  } catch (error) {
    issues.addIssue({ code: 'custom', message: (error as Error).message })
  }
})

/** The start of every address that is given out: what follows must be a path. */
export const plainUrl = url(['http:', 'https:']).refine((text) => {
  if (!URL.canParse(text)) return true
  const { username, password } = new URL(text)
  return username === '' && password === '' && !/[?#]/.test(text)
}, 'must not hold credentials, a query or a fragment')

/** Ranges of addresses, between commas. */
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

/** Origins between commas, as browsers write them, or `*` for all of them. */
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

/** A host with an asterisk is none: an origin is compared as a whole. */
const isOrigin = (text: string): boolean =>
  /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text

/** One term a line or between commas; lines that start with # are comments. */
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

/** What keys are derived from. */
export const secret = z
  .string()
  .min(MIN_SECRET_CHARACTERS, `must have at least ${MIN_SECRET_CHARACTERS} characters`)
  .refine(
    (text) => !EXAMPLE_SECRET.test(text),
    'must not be the value of an example: make one with openssl rand -base64 33',
  )

/** Seconds before each retry of a webhook delivery. */
export const retryDelays = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,3})?(,\d{1,3}(\.\d{1,3})?){0,2}$/, 'must be one to three numbers of seconds, such as 5,25,75')
  .transform((text) => text.split(',').map(Number))
  .refine(
    (delays) => delays.reduce((sum, delay) => sum + delay, 0) <= MAX_RETRY_DELAYS_SECONDS,
    `must add up to at most ${MAX_RETRY_DELAYS_SECONDS}: receivers refuse what is signed longer ago than 300 s`,
  )
  .default([5, 25, 75])

/** Where a bucket is. */
export const s3Url = z.string().transform((text, issues) => {
  try {
    return parseS3Url(text)
  } catch (error) {
    issues.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
})
