import type { ComponentChildren } from 'preact'
import type { Answered } from '../api/ask.ts'
import type { Loaded } from '../api/use-query.ts'
import { Failure } from './failure.tsx'

interface LoadProps<Data> {
  readonly query: Loaded<Data>
  /** Of the final size. */
  readonly skeleton: ComponentChildren
  readonly children: (data: Answered<Data>) => ComponentChildren
}

/** The states of what is loaded: a skeleton, the data, a failure; a later failure stands above the data from before. */
export function Load<Data>({ query, skeleton, children }: LoadProps<Data>) {
  const { data, failure, isLoading, reload } = query
  return (
    <>
      {failure !== null && <Failure failure={failure} onRetry={reload} isOld={data !== null} />}
      {data !== null && <div class={isLoading ? 'refreshing' : undefined}>{children(data)}</div>}
      {data === null && failure === null && (
        <div aria-busy="true" class="skeletons">
          <span class="unseen">Loading</span>
          {skeleton}
        </div>
      )}
    </>
  )
}

/** Grey bars in place of rows. */
export const SkeletonRows = ({ rows = 8 }: { rows?: number }) => (
  <div class="card skeleton-table">
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} class="skeleton-row">
        <i /> <i /> <i />
      </div>
    ))}
  </div>
)
