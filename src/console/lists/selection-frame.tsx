import type { ComponentChildren } from 'preact'
import { count } from '../parts/format.ts'
import type { Selection } from './use-selection.ts'

interface SelectionFrameProps {
  readonly label: string
  readonly selection: Selection
  /** The actions for the selection. */
  readonly children: ComponentChildren
}

/** The bar of what is selected. */
export const SelectionFrame = ({ label, selection, children }: SelectionFrameProps) => (
  <section class="selection" aria-label={label}>
    <strong class="figure">{count(selection.selected.size)} selected</strong>
    {!selection.isAll && (
      <button type="button" class="button quiet small" onClick={selection.selectAll}>
        All of this page
      </button>
    )}
    {children}
    <button type="button" class="button quiet small" onClick={selection.clear}>
      Clear
    </button>
  </section>
)
