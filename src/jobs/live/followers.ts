import { type AccountHolder, callerOf } from '../../access/actor.ts'
import type { CallerWatch } from '../../callers/caller-watch.ts'
import { forbidden, ServiceError, unauthorized } from '../../errors/service-error.ts'
import { isTerminal } from '../job-states.ts'
import { type JobState, type JobStream, openJobStream } from './job-stream.ts'

const MAX_SUBSCRIPTIONS_PER_CALLER = 1000
const MAX_SUBSCRIPTIONS = 10_000
/** Jobs whose last state a subscription remembers, so that it is not told twice. */
const MAX_REMEMBERED = 1000

/** What a subscriber follows. */
export interface Interest {
  /** One job, until it ends; null: all that `accepts` takes, with no end. */
  readonly jobId: string | null
  accepts(state: JobState): boolean
}

/** One subscription. */
export interface Follower {
  readonly interest: Interest
  readonly stream: JobStream
  /** Job id to the stamp that was told last. */
  readonly told: Map<string, string>
}

/** The subscriptions of this process, by account. */
interface Followers {
  readonly accounts: ReadonlyMap<string, ReadonlySet<Follower>>
  /** Ends by itself when the caller loses its key, its session or one of its scopes. @throws RATE_LIMITED where there are too many already */
  add(caller: AccountHolder, interest: Interest): Follower
}

export function openFollowers(callers: CallerWatch): Followers {
  const accounts = new Map<string, Set<Follower>>()
  const counts = new Map<string, number>()
  let total = 0
  const count = (callerId: string, change: 1 | -1): void => {
    total += change
    const left = (counts.get(callerId) ?? 0) + change
    if (left === 0) counts.delete(callerId)
    else counts.set(callerId, left)
  }
  const add = (caller: AccountHolder, interest: Interest): Follower => {
    const { accountId } = caller
    const callerId = callerOf(caller)
    if (total >= MAX_SUBSCRIPTIONS || (counts.get(callerId) ?? 0) >= MAX_SUBSCRIPTIONS_PER_CALLER) throw tooMany()
    const stream = openJobStream(() => {
      unwatch()
      count(callerId, -1)
      const followers = accounts.get(accountId)
      followers?.delete(follower)
      if (followers?.size === 0) accounts.delete(accountId)
    })
    const follower: Follower = { interest, stream, told: new Map() }
    count(callerId, 1)
    accounts.set(accountId, (accounts.get(accountId) ?? new Set()).add(follower))
    // Jobs are read with the scopes of the moment of subscribing: a caller that loses one has to subscribe again.
    const scopes = 'scopes' in caller ? caller.scopes : []
    const unwatch = callers.watch(caller, scopes, (lost) =>
      stream.fail(lost === null ? unauthorized() : forbidden(lost)),
    )
    return follower
  }
  return { accounts, add }
}

/** Whether any of them wants to hear of the job, as far as its id tells. */
export function anyWants(followers: Iterable<Follower>, jobId: string): boolean {
  for (const { interest } of followers) if (interest.jobId === null || interest.jobId === jobId) return true
  return false
}

/** Hands a job's state on, unless it was told already or is none of the follower's. */
export function tell({ interest, stream, told }: Follower, { state, stamp }: FetchedJob): void {
  if (interest.jobId !== null && interest.jobId !== state.jobId) return
  if (told.get(state.jobId) === stamp || !interest.accepts(state)) return
  told.delete(state.jobId)
  told.set(state.jobId, stamp)
  if (told.size > MAX_REMEMBERED) told.delete(told.keys().next().value as string)
  stream.push(state)
  if (interest.jobId !== null && isTerminal(state.status)) stream.finish()
}

const tooMany = () =>
  new ServiceError('RATE_LIMITED', 'End other subscriptions first: there are too many of them.', {
    retryAfterSeconds: 1,
  })

/** A job as it was read for its subscribers. */
export interface FetchedJob {
  readonly accountId: string
  readonly state: JobState
  /** Another one means that something about the job has changed. */
  readonly stamp: string
  /** Who asked for it; null: everybody who follows the account. */
  readonly followers: ReadonlySet<Follower> | null
}
