import { requireAccount } from '../../access/require.ts'
import type { CallerWatch } from '../../callers/caller-watch.ts'
import type { Context, Parts } from '../../context/context.ts'
import { openJobFetcher } from './fetch-jobs.ts'
import { anyWants, type Follower, type Interest, notifyFollower, openFollowers } from './followers.ts'
import type { JobStates } from './job-stream.ts'
import { JOB_CHANNEL } from './notify-job.ts'
import { recentJobs } from './recent-jobs.ts'

/** What ended this long before messages may have been missed is sent again: longer than a lost connection stays unnoticed. */
const RESYNC_WINDOW_MS = 300_000

/** Notifies this process's subscribers of how their accounts' jobs change. */
export interface JobFeed {
  /** The present state first, then every newer one. @throws RATE_LIMITED where there are too many subscriptions already */
  follow(ctx: Pick<Context, 'actor' | 'db'>, interest: Interest): Promise<JobStates>
  /** Ends every subscription. */
  close(): void
}

/** What subscriptions need: how jobs change. */
export interface FeedContext extends Context {
  readonly jobFeed: JobFeed
}

type FeedParts = Pick<Parts, 'db' | 'notifier' | 'log' | 'now'>

/** Listens to one channel from the first subscription on; `parts` is asked for no earlier. */
export function openJobFeed(parts: () => FeedParts, callers: CallerWatch): JobFeed {
  const { accounts, add } = openFollowers(callers)
  const fetcher = openJobFetcher(parts, (fetched) => {
    const followers = fetched.followers ?? accounts.get(fetched.job.accountId) ?? []
    for (const follower of followers) notifyFollower(follower, fetched)
  })
  const onMessage = (payload: string): void => {
    const [accountId = '', jobId = ''] = payload.split(' ')
    if (anyWants(accounts.get(accountId) ?? [], jobId)) fetcher.want(accountId, jobId)
  }
  const replay = async (accountId: string, followers: ReadonlySet<Follower>): Promise<void> => {
    const single = [...followers].flatMap(({ interest }) => interest.jobId ?? [])
    for (const jobId of single) fetcher.want(accountId, jobId)
    if (single.length === followers.size) return
    const since = new Date(parts().now().getTime() - RESYNC_WINDOW_MS)
    for (const jobId of await recentJobs(parts().db, accountId, since)) fetcher.want(accountId, jobId)
  }
  const onResync = (): void => {
    for (const [accountId, followers] of accounts) {
      replay(accountId, followers).catch((error: Error) => {
        parts().log.warn({ err: error.message }, 'subscribers were not sent what they missed')
      })
    }
  }
  const listen = lazily(() => parts().notifier.listen(JOB_CHANNEL, onMessage, onResync))
  return {
    follow: async (ctx, interest) => {
      const caller = requireAccount(ctx)
      const follower = add(caller, interest)
      try {
        await listen()
        const ids = interest.jobId === null ? await recentJobs(ctx.db, caller.accountId, null) : [interest.jobId]
        for (const jobId of ids) fetcher.want(caller.accountId, jobId, follower)
      } catch (error) {
        follower.stream.finish()
        throw error
      }
      return follower.stream.states
    },
    close: () => {
      for (const followers of [...accounts.values()]) for (const { stream } of [...followers]) stream.finish()
    },
  }
}

/** Does it once, however often it is asked for; after a failure once more. */
function lazily(work: () => Promise<unknown>): () => Promise<unknown> {
  let done: Promise<unknown> | undefined
  return () => {
    done ??= work().catch((error) => {
      done = undefined
      throw error
    })
    return done
  }
}
