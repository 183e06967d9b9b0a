import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Answered } from '../api/ask.ts'
import { timeNow } from '../api/clock.ts'
import type { Loaded } from '../api/use-query.ts'
import { Failure } from './failure.tsx'

interface LoadProps<Data> {
  readonly query: Loaded<Data>
  /** It has the final size. */
  readonly skeleton: ComponentChildren
  readonly children: (data: Answered<Data>) => ComponentChildren
}

/**
 * The states of what is loaded: a skeleton, the data, a failure; a later failure stands above the data from before. Data of another filter or
 * page cannot be used until those of this one are there.
 */
export function Load<Data>({ query, skeleton, children }: LoadProps<Data>) {
  const { data, failure, isLoading, isOther, askedAt, reload } = query
  const box = useInert(isOther)
  return (
    <>
      {failure !== null && (
        <Failure failure={failure} onRetry={reload} asOf={data === null ? undefined : timeAt(askedAt)} isAskedAgain />
      )}
      {data !== null && (
        <div ref={box} class={isLoading ? 'refreshing' : undefined} aria-busy={isOther || undefined}>
          {children(data)}
        </div>
      )}
      {isFirst(query) && <Skeleton>{skeleton}</Skeleton>}
    </>
  )
}

/** Neither data nor a failure are there yet. */
export const isFirst = ({ data, failure }: Pick<Loaded<unknown>, 'data' | 'failure'>): boolean =>
  data === null && failure === null

/** Stands for what is loaded for the first time. */
export const Skeleton = ({ children }: { readonly children: ComponentChildren }) => (
  <div aria-busy="true" class="skeletons">
    <span class="unseen">Loading</span>
    {children}
  </div>
)

/** The service's time at a moment of the clock that only rises. */
const timeAt = (moment: number): number => timeNow() - performance.now() + moment

/** Gives the focus back afterwards to the element that had it, such as the button to the next page. */
function useInert(isInert: boolean) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (!isInert || element === null) return
    const focused = document.activeElement
    element.inert = true
    return () => {
      element.inert = false
      if (focused instanceof HTMLElement && element.contains(focused)) focused.focus({ preventScroll: true })
    }
  }, [isInert])
  return box
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
