import type { AccountHolder } from '../../access/actor.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import type { LatestStream } from '../../concurrency/latest-stream.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import type { Job } from '../job-shape.ts'
import { isTerminal } from '../job-states.ts'

/** Jobs whose last state a subscription remembers, so that no state is sent twice. */
const MAX_REMEMBERED = 1000

/** The states of jobs as a subscriber reads them, one after the other. */
export type JobStates = PullStream<Job>

/** What a subscriber follows. */
export interface Interest {
  /** One job, until it ends; null: all that `accepts` takes, with no end. */
  readonly jobId: string | null
  accepts(job: Job): boolean
}

/** One subscription. */
export interface Follower {
  readonly interest: Interest
  readonly stream: LatestStream<Job>
  /** Job id to the stamp that was sent last. */
  readonly sent: Map<string, string>
}

/** The subscriptions of this process, by account. */
export interface Followers {
  readonly accounts: ReadonlyMap<string, ReadonlySet<Follower>>
  /**
   * Ends as `Subscriptions` has it. @param counted whether it is one of the subscriptions that a caller has.
   * @throws RATE_LIMITED where there are too many already
   */
  add(caller: AccountHolder, interest: Interest, counted: boolean): Follower
}

/** Keeps the followers of this process. */
export function openFollowers(subscriptions: Subscriptions): Followers {
  const accounts = new Map<string, Set<Follower>>()
  const add = (caller: AccountHolder, interest: Interest, counted: boolean): Follower => {
    const { accountId } = caller
    const onEnd = (): void => {
      const followers = accounts.get(accountId)
      followers?.delete(follower)
      if (followers?.size === 0) accounts.delete(accountId)
    }
    const stream = subscriptions.open<Job>(caller, { onEnd, counted })
    const follower: Follower = { interest, stream, sent: new Map() }
    accounts.set(accountId, (accounts.get(accountId) ?? new Set()).add(follower))
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

/** A job that was deleted. */
export interface GoneJob {
  readonly accountId: string
  readonly jobId: string
}

/** There is no state of a deleted job to push: the subscription to it ends, and any other forgets it. */
export function notifyFollowerOfGone({ interest, stream, sent }: Follower, { jobId }: GoneJob): void {
  sent.delete(jobId)
  if (interest.jobId === jobId) stream.finish()
}

/** A job as it was read for its subscribers. */
export interface FetchedJob {
  readonly job: Job
  /** Another one means that something about the job has changed. */
  readonly stamp: string
  /** The followers that asked for it; null: all of the account's. */
  readonly followers: ReadonlySet<Follower> | null
}
