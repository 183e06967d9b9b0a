const ROWS = 'tbody tr[data-job]'

/** To the link of the row after the one that has the focus, or before it; to the first one from elsewhere. Enter opens it, as any link. */
export function moveRowFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)]
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[current === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, current + by))]
  next?.querySelector<HTMLElement>('a')?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

/** The job whose row has the focus. */
export const focusedJob = (): string | null =>
  document.activeElement?.closest<HTMLElement>(ROWS)?.getAttribute('data-job') ?? null
