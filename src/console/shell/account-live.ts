import { signal } from '@preact/signals'
import { follow } from '../api/follow.ts'
import { type AccountLiveSubscription, accountLive } from '../operations.ts'
import { balance } from './balance.ts'

/** The account's counts of jobs as they are now; null until the service has said them. */
export const jobCounts = signal<NonNullable<AccountLiveSubscription['accountUpdated']['jobCounts']> | null>(null)

/** Changes whenever the account's webhook deliveries have begun or ended; null until the service has said how many there are. */
export const deliveriesNow = signal<string | null>(null)

/** The one subscription that stays for as long as a user is signed in. @param isOwner owners alone hear of deliveries */
export const followAccount = (isOwner: boolean): (() => void) =>
  follow(accountLive, { isOwner }, ({ accountUpdated: { credits, jobCounts: jobs, deliveryCounts } }) => {
    balance.value = credits
    jobCounts.value = jobs ?? null
    deliveriesNow.value = deliveryCounts ? JSON.stringify(deliveryCounts) : null
  })
