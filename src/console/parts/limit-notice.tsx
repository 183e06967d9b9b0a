import { at } from '../api/base.ts'
import { count, share } from './format.ts'
import { Icon } from './icon.tsx'
import { monthPath, untilWhen } from './limit-month.ts'

/** From this share on a limit is warned of. */
export const NEAR = 0.8

interface LimitNoticeProps {
  readonly of: { readonly monthlyLimit?: number | null; readonly limitShare?: number | null }
}

/** Says what the account's monthly limit refuses, or will soon, and until when; nothing before. */
export function LimitNotice({ of: { monthlyLimit, limitShare } }: LimitNoticeProps) {
  if (monthlyLimit == null || limitShare == null || limitShare < NEAR) return null
  const isUsedUp = limitShare >= 1
  return (
    <p class={isUsedUp ? 'notice bad' : 'notice warn'}>
      <Icon name="alert" />
      <span class="notice-body">
        {isUsedUp
          ? `The monthly limit of ${count(monthlyLimit)} credits is used up. New jobs are refused until ${untilWhen()}; accepted ones go on. Your operator can raise the limit.`
          : `${share(limitShare)} of the monthly limit of ${count(monthlyLimit)} credits is used. Jobs beyond it are refused until ${untilWhen()}.`}{' '}
        <a href={at(monthPath())}>See what used it</a>
      </span>
    </p>
  )
}
