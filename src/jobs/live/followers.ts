import type { AccountHolder } from '../../access/actor.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import type { Identified } from '../../concurrency/latest-stream.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import type { Job } from '../job-shape.ts'
import { isTerminal } from '../job-states.ts'

/** Jobs whose last state a subscription remembers, so that no state is sent twice. */
const MAX_REMEMBERED = 1000
/** The last state of a job that has left: no stamp is empty. */
const LEFT = ''

/** The states of jobs as a subscriber reads them, one after the other. */
export type JobStates = PullStream<Job>

/** A job as a subscriber to changes reads it: null once it is none of those that are followed, or is deleted. */
export interface JobChange {
  readonly id: string
  readonly job: Job | null
}

/** What a subscriber follows. */
export interface Interest {
  /** One job, until it ends; null: all that `accepts` takes, with no end. */
  readonly jobId: string | null
  accepts(job: Job): boolean
  /** Whether nothing that it shows tells how far a job has come: then that is no other state. */
  readonly ignoresProgress?: boolean
}

/** The form in which a subscriber gets the rows. */
export interface Shape<T extends Identified> {
  of(job: Job): T
  /** Reports a row that has left the list; null if the subscription does not report that. */
  readonly left: ((id: string) => T) | null
}

export const STATES: Shape<Job> = { of: (job) => job, left: null }
export const CHANGES: Shape<JobChange> = { of: (job) => ({ id: job.id, job }), left: (id) => ({ id, job: null }) }

/** One subscription. */
export interface Follower {
  readonly interest: Interest
  push(job: Job): void
  /** null: it is not told of what leaves. */
  readonly leave: ((id: string) => void) | null
  finish(): void
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
  add<T extends Identified>(
    caller: AccountHolder,
    interest: Interest,
    shape: Shape<T>,
    counted: boolean,
  ): { readonly follower: Follower; readonly states: PullStream<T> }
}

/** Keeps the followers of this process. */
export function openFollowers(subscriptions: Subscriptions): Followers {
  const accounts = new Map<string, Set<Follower>>()
  const add: Followers['add'] = (caller, interest, shape, counted) => {
    const { accountId } = caller
    const onEnd = (): void => {
      const followers = accounts.get(accountId)
      followers?.delete(follower)
      if (followers?.size === 0) accounts.delete(accountId)
    }
    const { states, push, finish } = subscriptions.open<ReturnType<typeof shape.of>>(caller, { onEnd, counted })
    const { left } = shape
    const follower: Follower = {
      ...{ interest, finish, sent: new Map() },
      push: (job) => push(shape.of(job)),
      leave: left === null ? null : (id) => push(left(id)),
    }
    accounts.set(accountId, (accounts.get(accountId) ?? new Set()).add(follower))
    return { follower, states }
  }
  return { accounts, add }
}

/** Whether any of them follows the job, as far as its id says. */
export function anyWants(followers: Iterable<Follower>, jobId: string): boolean {
  for (const { interest } of followers) if (interest.jobId === null || interest.jobId === jobId) return true
  return false
}

/** Pushes a job's state to a follower, unless it has had that state already or follows other jobs; or tells it that the job has left. */
export function notifyFollower(follower: Follower, { job, stamp, progress }: FetchedJob): void {
  const { interest, sent, leave } = follower
  if (interest.jobId !== null && interest.jobId !== job.id) return
  const state = interest.ignoresProgress ? stamp : `${stamp} ${progress}`
  if (sent.get(job.id) === state) return
  if (interest.accepts(job)) {
    remember(sent, job.id, state)
    follower.push(job)
    if (interest.jobId !== null && isTerminal(job.status)) follower.finish()
  } else if (leave !== null && mayHave(follower, job)) {
    remember(sent, job.id, LEFT)
    leave(job.id)
  }
}

function remember(sent: Map<string, string>, jobId: string, state: string): void {
  // The latest is the last: where it is alone it is so already.
  if (sent.size > 1) sent.delete(jobId)
  sent.set(jobId, state)
  if (sent.size > MAX_REMEMBERED) sent.delete(sent.keys().next().value as string)
}

/** Whether the subscriber may have the job: it was sent, or a list that was read before holds it in an earlier state. */
function mayHave({ interest, sent }: Follower, job: Job): boolean {
  const last = sent.get(job.id)
  return last === undefined ? earlierStates(job).some((earlier) => interest.accepts(earlier)) : last !== LEFT
}

const UNFINISHED = { completedAt: null, errorCode: null, isProhibited: null } as const

const earlierStates = (job: Job): Job[] => [
  ...(job.status === 'queued' ? [] : [{ ...job, ...UNFINISHED, status: 'queued' as const }]),
  ...(job.status === 'processing' || job.attempt === 0
    ? []
    : [{ ...job, ...UNFINISHED, status: 'processing' as const }]),
]

/** A job that was deleted. */
export interface GoneJob {
  readonly accountId: string
  readonly jobId: string
}

/** There is no state of a deleted job to push: the subscription to it ends, and any other forgets it. */
export function notifyFollowerOfGone({ interest, finish, leave, sent }: Follower, { jobId }: GoneJob): void {
  const last = sent.get(jobId)
  sent.delete(jobId)
  if (interest.jobId === jobId) finish()
  else if (interest.jobId === null && last !== LEFT) leave?.(jobId)
}

/** The jobs that a follower would have to be told of if they left. */
export const keptBy = ({ leave, sent }: Follower): string[] =>
  leave === null ? [] : [...sent].flatMap(([id, last]) => (last === LEFT ? [] : [id]))

/** A job as it was read for its subscribers. */
export interface FetchedJob {
  readonly job: Job
  /** Another one means that something about the job has changed, */
  readonly stamp: string
  /** and another one of these, how far it has come. */
  readonly progress: string
  /** The followers that asked for it; null: all of the account's. */
  readonly followers: ReadonlySet<Follower> | null
}
