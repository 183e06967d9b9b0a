import { EGRESS_OUTCOMES } from '../../egress/egress-failure.ts'
import { SIGNED_URL_SECONDS } from '../../storage/storage.ts'

/** Attempts of one round: the first and three retries. */
const MAX_ATTEMPTS = 4
/** Attempts of one round with these seconds before its retries: what a crash cost counts as well. */
export const mostAttempts = (retryDelays: readonly number[]): number => Math.min(MAX_ATTEMPTS, retryDelays.length + 1)
/** DNS, TLS and response together. */
export const ATTEMPT_TIMEOUT_MS = 10_000
/** A verifier refuses a timestamp older than 300 s: no attempt starts later than this, so that the request arrives in time. */
export const LATEST_START_SECONDS = 280
/**
 * A delivery that waited longer than this for its first attempt gets a new payload snapshot, so that its retries still fit and its output URLs live
 * on: no byte of it was sent before.
 */
export const FRESH_SECONDS = 60
/** Between a claim and the time at which another worker may claim again, should the first one die. */
export const LEASE_SECONDS = 12
/** How much of a response's body is kept. */
export const RESPONSE_BYTES = 1024
/** How long deliveries are shown. */
export const KEPT_DAYS = 30
/** Nothing can send a payload snapshot later than this, nor would its output URLs still live. */
export const BODY_KEPT_SECONDS = SIGNED_URL_SECONDS

export type DeliveryState = 'pending' | 'succeeded' | 'failed'
export type DeliveryKind = 'job' | 'test'

/**
 * The outcome of an attempt, unless it is the status that a receiver rejected it with. `interrupted`: the worker was stopped or died, and
 * whether the receiver got it is unknown; `expired`: the next attempt would have come too late for a verifier; `secret_unreadable`: it
 * could not be signed, so it was not sent.
 */
export const OUTCOMES = [
  'succeeded',
  ...EGRESS_OUTCOMES,
  'connection_closed',
  'bad_response',
  'interrupted',
  'expired',
  'secret_unreadable',
] as const
export type Outcome = (typeof OUTCOMES)[number] | `status_${number}`

const STATUS_OUTCOME = /^status_[1-9][0-9]{2}$/

export const isOutcome = (text: string): text is Outcome =>
  (OUTCOMES as readonly string[]).includes(text) || STATUS_OUTCOME.test(text)

/** Which deliveries share a connection limit: the account and the receiver, as one word that the queue can tell apart. */
export const concurrencyKeyOf = (accountId: string, url: string): string => `${accountId} ${new URL(url).host}`
