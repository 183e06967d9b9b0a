import { readFile } from 'node:fs/promises'
import type { AccountActor } from '../access/actor.ts'
import { accountDisabled, invalidRequest } from '../errors/service-error.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { parseTimestamp } from '../values/timestamp.ts'

// Each parser throws INVALID_REQUEST with the option's name.

const MAX_DIGITS = 18

export function wholeNumber(option: string, given: string): bigint {
  if (!/^-?\d+$/.test(given)) throw invalidRequest(`Give ${option} a whole number.`)
  if (given.replace('-', '').length > MAX_DIGITS)
    throw invalidRequest(`Give ${option} a number of at most ${MAX_DIGITS} digits.`)
  return BigInt(given)
}

export const size = (option: string, given: string | undefined): number | undefined =>
  given === undefined ? undefined : Number(wholeNumber(option, given))

export interface LimitOptions {
  readonly monthlyLimit?: string
  readonly maxRunning?: string
}

/** The limits of an account or a key. */
export const limits = ({ monthlyLimit, maxRunning }: LimitOptions) => ({
  monthlyLimit: limit('--monthly-limit', monthlyLimit),
  maxRunning: limit('--max-running', maxRunning),
})

/** A whole number, or `none`: null. */
const limit = (option: string, given: string | undefined): number | null | undefined =>
  given === 'none' ? null : size(option, given)

const MAX_PORT = 65_535

export function portOf(option: string, given: string | undefined): number | undefined {
  const number = size(option, given)
  if (number !== undefined && (number < 0 || number > MAX_PORT))
    throw invalidRequest(`Give ${option} a number from 0 to ${MAX_PORT}.`)
  return number
}

/** RFC 3339 or a plain date, UTC by default. */
export function time(option: string, given: string): Date {
  const timestamp = parseTimestamp(given)
  if (timestamp === null) throw invalidRequest(`Give ${option} a time that exists, such as 2026-01-31T09:05:00Z.`)
  return timestamp
}

export function oneOf<T extends string>(option: string, values: readonly T[], given: string): T
export function oneOf<T extends string>(option: string, values: readonly T[], given: string | undefined): T | undefined
export function oneOf<T extends string>(option: string, values: readonly T[], given: string | undefined) {
  if (given === undefined) return undefined
  const value = values.find((candidate) => candidate === given)
  if (value === undefined) throw invalidRequest(`Give ${option} one of ${values.join(', ')}.`)
  return value
}

/** The operator's context acting for an account, by id or name; null means the oldest. @throws NOT_FOUND */
export async function actingFor(
  ctx: ServiceContext,
  account: string | null,
): Promise<ServiceContext & { readonly actor: AccountActor }> {
  const { findAccount } = await import('../accounts/accounts.ts')
  const { id, credits } = await findAccount(ctx, account)
  return { ...ctx, actor: { kind: 'account', accountId: id, credits } }
}

/** The same for new jobs. @throws NOT_FOUND, FORBIDDEN if the account is disabled */
export async function payingFor(ctx: ServiceContext, account: string | null) {
  const { findAccount } = await import('../accounts/accounts.ts')
  if ((await findAccount(ctx, account)).disabledAt !== null) throw accountDisabled()
  return actingFor(ctx, account)
}

/** @throws INVALID_REQUEST */
export const readInput = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw invalidRequest(`The file "${file}" cannot be read (${error.code}).`)
  })
