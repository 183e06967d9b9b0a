import { count } from './format.ts'
import { untilWhen } from './limit-month.ts'
import { NEAR } from './limit-notice.tsx'

interface MonthUse {
  readonly usedThisMonth: number
  readonly monthlyLimit?: number | null
  readonly limitShare?: number | null
}

/** Credits used this month, of how many. */
export const monthUse = ({ usedThisMonth, monthlyLimit }: MonthUse): string =>
  monthlyLimit == null ? count(usedThisMonth) : `${count(usedThisMonth)} of ${count(monthlyLimit)}`

/** A second line of a cell, which marks a limit that is near or reached; absent if nothing is used or limited. */
export const MonthUse = ({ of }: { readonly of: MonthUse }) =>
  of.usedThisMonth === 0 && of.monthlyLimit == null ? null : (
    <div class="month-use small-text faint">
      <span class={markOf(of.limitShare ?? 0)}>{monthUse(of)}</span> this month
      {(of.limitShare ?? 0) >= 1 && <div>New jobs are refused until {untilWhen()}.</div>}
    </div>
  )

const markOf = (used: number): string => (used >= 1 ? 'pill bad' : used >= NEAR ? 'pill warn' : '')
