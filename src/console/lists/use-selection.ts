import { useLayoutEffect, useState } from 'preact/hooks'

/** Which rows of a page are selected. */
export interface Selection {
  readonly selected: ReadonlySet<string>
  readonly isAll: boolean
  readonly toggle: (id: string) => void
  readonly selectAll: () => void
  readonly clear: () => void
}

/** @param ids of the rows; one that is no more among them is not selected. @param isOther the rows are those of another filter or page: once they change, none is selected */
export function useSelection(ids: readonly string[], isOther: boolean): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  // Before the rows are drawn: what is ticked as soon as they are seen stays so.
  useLayoutEffect(() => setChosen(new Set()), [isOther])
  const selected = new Set(ids.filter((id) => chosen.has(id)))
  return {
    selected,
    isAll: ids.length > 0 && selected.size === ids.length,
    toggle: (id) => setChosen(new Set(ids.filter((one) => selected.has(one) !== (one === id)))),
    selectAll: () => setChosen(new Set(ids)),
    clear: () => setChosen(new Set()),
  }
}
