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

/** Marks what has reached its limit. */
export const MonthUse = ({ of }: { readonly of: MonthUse }) =>
  isUsedUp(of) ? <span class="pill bad">{monthUse(of)}</span> : <span>{monthUse(of)}</span>
