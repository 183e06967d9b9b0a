import { useLetters } from '../shell/use-letters.ts'

const STEP = 'a, button:enabled'
const ROWS = '.table-box tbody tr'

const WALK = { j: () => moveRowFocus(1), k: () => moveRowFocus(-1) }

/** In a list: j and k walk from row to row. */
export const useRowWalk = (): void => useLetters(WALK)

/** In a table whose rows can be selected: j and k walk from row to row, x selects the one that has the focus. */
export const useRowLetters = (toggle: (id: string) => void): void =>
  useLetters({
    ...WALK,
    x: () => {
      const id = focusedRow()
      if (id !== undefined) toggle(id)
    },
  })

/** To the link or button of the row after the one that has the focus, or before it; to the first one from elsewhere. Enter opens it, as any link. */
function moveRowFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)].filter((row) => row.querySelector(STEP))
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[current === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, current + by))]
  next?.querySelector<HTMLElement>(STEP)?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

/** The id of what the row with the focus shows. */
function focusedRow(): string | undefined {
  const row = document.activeElement?.closest<HTMLElement>(ROWS)
  return row?.dataset.job ?? row?.dataset.delivery
}
