import type { Selection } from './use-selection.ts'

/** Selects all rows of the page, or none. */
export const SelectAllCell = ({ selection: { isAll, selectAll, clear } }: { selection: Selection }) => (
  <th class="tight">
    <input
      type="checkbox"
      aria-label="Select all on this page"
      checked={isAll}
      onChange={() => (isAll ? clear() : selectAll())}
    />
  </th>
)

/** Selects a row. */
export const SelectCell = ({ id, selection: { selected, toggle } }: { id: string; selection: Selection }) => (
  <td class="tight">
    <input type="checkbox" aria-label={`Select ${id}`} checked={selected.has(id)} onChange={() => toggle(id)} />
  </td>
)
