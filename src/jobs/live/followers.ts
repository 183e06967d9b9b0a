import { type AccountHolder, callerOf } from '../../access/actor.ts'
import type { CallerWatch } from '../../callers/caller-watch.ts'
import { forbidden, ServiceError, unauthorized } from '../../errors/service-error.ts'
import type { Job } from '../job-shape.ts'
import { isTerminal } from '../job-states.ts'
import { type JobStream, openJobStream } from './job-stream.ts'

const MAX_SUBSCRIPTIONS_PER_CALLER = 1000
const MAX_SUBSCRIPTIONS = 10_000
/** Jobs whose last state a subscription remembers, so that no state is sent twice. */
const MAX_REMEMBERED = 1000

/** What a subscriber follows. */
export interface Interest {
  /** One job, until it ends; null: all that `accepts` takes, with no end. */
  readonly jobId: string | null
  accepts(job: Job): boolean
}

/** One subscription. */
export interface Follower {
  readonly interest: Interest
  readonly stream: JobStream
  /** Job id to the stamp that was sent last. */
  readonly sent: Map<string, string>
}

/** The subscriptions of this process, by account. */
export interface Followers {
  readonly accounts: ReadonlyMap<string, ReadonlySet<Follower>>
  /**
   * Ends by itself when the caller loses its key, its session or one of its scopes. @param counted whether it is one of the subscriptions
   * that a caller has. @throws RATE_LIMITED where there are too many already
   */
  add(caller: AccountHolder, interest: Interest, counted: boolean): Follower
}

/** Keeps the followers of this process. */
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
  const isFull = (callerId: string): boolean =>
    total >= MAX_SUBSCRIPTIONS || (counts.get(callerId) ?? 0) >= MAX_SUBSCRIPTIONS_PER_CALLER
  const add = (caller: AccountHolder, interest: Interest, counted: boolean): Follower => {
    const { accountId } = caller
    const callerId = callerOf(caller)
    if (counted && isFull(callerId)) throw tooMany()
    const stream = openJobStream(() => {
      unwatch()
      if (counted) count(callerId, -1)
      const followers = accounts.get(accountId)
      followers?.delete(follower)
      if (followers?.size === 0) accounts.delete(accountId)
    })
    const follower: Follower = { interest, stream, sent: new Map() }
    if (counted) count(callerId, 1)
    accounts.set(accountId, (accounts.get(accountId) ?? new Set()).add(follower))
    // Jobs are read with the scopes that the caller had when it subscribed: a caller that loses one has to subscribe again.
    const scopes = 'scopes' in caller ? caller.scopes : []
    const unwatch = callers.watch(caller, scopes, (lost) =>
      stream.fail(lost === null ? unauthorized() : forbidden(lost)),
    )
    return follower
  }
  return { accounts, add }
}

/** Whether any of them follows the job, as far as its id says. */
export function anyWants(followers: Iterable<Follower>, jobId: string): boolean {
  for (const { interest } of followers) if (interest.jobId === null || interest.jobId === jobId) return true
  return false
}

/** Pushes a job's state to a follower, unless it has had that state already or follows other jobs. */
export function notifyFollower({ interest, stream, sent }: Follower, { job, stamp }: FetchedJob): void {
  if (interest.jobId !== null && interest.jobId !== job.id) return
  if (sent.get(job.id) === stamp || !interest.accepts(job)) return
  // The latest is the last: where it is alone it is so already.
  if (sent.size > 1) sent.delete(job.id)
  sent.set(job.id, stamp)
  if (sent.size > MAX_REMEMBERED) sent.delete(sent.keys().next().value as string)
  stream.push(job)
  if (interest.jobId !== null && isTerminal(job.status)) stream.finish()
}

const tooMany = () =>
  new ServiceError('RATE_LIMITED', 'End other subscriptions first: there are too many of them.', {
    retryAfterSeconds: 1,
  })

/** A job as it was read for its subscribers. */
export interface FetchedJob {
  readonly job: Job
  /** Another one means that something about the job has changed. */
  readonly stamp: string
  /** The followers that asked for it; null: all of the account's. */
  readonly followers: ReadonlySet<Follower> | null
}
