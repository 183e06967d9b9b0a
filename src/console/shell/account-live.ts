import { signal } from '@preact/signals'
import { follow } from '../api/follow.ts'
import { type AccountLiveSubscription, accountLive } from '../operations.ts'
import { balance } from './balance.ts'

/** The account's counts of jobs as they are now; null until the service has said them. */
export const jobCounts = signal<NonNullable<AccountLiveSubscription['accountUpdated']['jobCounts']> | null>(null)

/** The one subscription that stays for as long as a user is signed in. */
export const followAccount = (): (() => void) =>
  follow(accountLive, {}, ({ accountUpdated }) => {
    balance.value = accountUpdated.credits
    jobCounts.value = accountUpdated.jobCounts ?? null
  })
