import { EGRESS_OUTCOMES } from '../../egress/judge-host.ts'
import { SIGNED_URL_SECONDS } from '../../storage/storage.ts'
import type { SignedHeaders } from '../signing.ts'

const MAX_ATTEMPTS = 4
export const mostAttempts = (retryDelays: readonly number[]): number => Math.min(MAX_ATTEMPTS, retryDelays.length + 1)
export const ATTEMPT_TIMEOUT_MS = 10_000
/** Verifiers refuse a timestamp older than 300 s. */
export const LATEST_START_SECONDS = 280
/** A delivery that waited longer for its first attempt gets a new payload snapshot, which keeps retries and output URLs valid. */
export const FRESH_SECONDS = 60
export const LEASE_SECONDS = 12
export const RESPONSE_BYTES = 1024
export const KEPT_DAYS = 30
export const BODY_KEPT_SECONDS = SIGNED_URL_SECONDS

export type DeliveryState = 'pending' | 'succeeded' | 'failed'
export type DeliveryKind = 'job' | 'test'

/**
 * `interrupted`: the receiver may or may not have it; `expired`: the next attempt would be too late for a verifier;
 * `secret_unreadable`: not sent.
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

/** An outcome without the status that the receiver answered. */
export type OutcomeCode = (typeof OUTCOMES)[number] | 'status'

export const codeOf = (outcome: string): OutcomeCode =>
  STATUS_OUTCOME.test(outcome) ? 'status' : (outcome as (typeof OUTCOMES)[number])

const STATUS_OUTCOME = /^status_[1-9][0-9]{2}$/

export const isOutcome = (text: string): text is Outcome =>
  (OUTCOMES as readonly string[]).includes(text) || STATUS_OUTCOME.test(text)

export const concurrencyKeyOf = (accountId: string, url: string): string => `${accountId} ${new URL(url).host}`

/** Every write repeats round and number. */
export interface Attempt {
  readonly deliveryId: string
  readonly accountId: string
  readonly url: string
  readonly headers: SignedHeaders
  readonly body: Buffer
  readonly round: number
  readonly number: number
}

export interface AttemptResult {
  readonly outcome: Outcome
  readonly durationMs: number
  readonly responseStatus: number | null
  readonly response: Buffer | null
}
