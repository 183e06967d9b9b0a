import type { PagesFragment } from '../operations.ts'

interface PagerProps {
  /** Where it is not the only one of its screen. */
  readonly label?: string
  readonly pageInfo: PagesFragment
  readonly onMove: (change: { after: string | null; before: string | null }) => void
  readonly children?: string
}

/** To the pages before and after, by cursor; a list of one page has none. */
export const Pager = ({ label = 'Pages', pageInfo, onMove, children }: PagerProps) =>
  !pageInfo.hasPreviousPage && !pageInfo.hasNextPage ? (
    children ? (
      <p class="pager faint">{children}</p>
    ) : null
  ) : (
    <nav class="pager" aria-label={label}>
      <span class="faint">{children}</span>
      <button
        type="button"
        class="button"
        aria-disabled={!pageInfo.hasPreviousPage}
        onClick={() => onMove({ before: pageInfo.startCursor ?? null, after: null })}
      >
        Previous
      </button>
      <button
        type="button"
        class="button"
        aria-disabled={!pageInfo.hasNextPage}
        onClick={() => onMove({ after: pageInfo.endCursor ?? null, before: null })}
      >
        Next
      </button>
    </nav>
  )
