import { count } from './format.ts'

interface MonthUse {
  readonly usedThisMonth: number
  readonly monthlyLimit?: number | null
}

/** Credits used this month, of how many. */
export const monthUse = ({ usedThisMonth, monthlyLimit }: MonthUse): string =>
  monthlyLimit == null ? count(usedThisMonth) : `${count(usedThisMonth)} of ${count(monthlyLimit)}`

const isUsedUp = ({ usedThisMonth, monthlyLimit }: MonthUse): boolean =>
  monthlyLimit != null && usedThisMonth >= monthlyLimit

/** A second line of a cell, which marks what has reached its limit; absent if nothing is used or limited. */
export const MonthUse = ({ of }: { readonly of: MonthUse }) =>
  of.usedThisMonth === 0 && of.monthlyLimit == null ? null : (
    <div class="month-use small-text faint">
      <span class={isUsedUp(of) ? 'pill bad' : ''}>{monthUse(of)}</span> this month
    </div>
  )
