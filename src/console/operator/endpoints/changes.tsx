import type { ApplyFileMutation } from '../../operations.ts'

export type EntryChange = Extract<
  ApplyFileMutation['applyEndpoints'],
  { __typename: 'ApplyEndpointsSuccess' }
>['changes'][number]

/** Shows the changes of an apply, value by value. */
export const Changes = ({ changes }: { changes: readonly EntryChange[] }) => (
  <section class="card changes" aria-label="Changes" role="status">
    {changes.map((change) => (
      <div key={change.slug}>
        <div class="card-head">
          <h2>{change.slug}</h2>
          <p>{wordsOf(change)}</p>
        </div>
        {!change.isNew && change.fields.length > 0 && <Fields fields={change.fields} />}
      </div>
    ))}
  </section>
)

function wordsOf({ isNew, isWorkflow, fields }: EntryChange): string {
  if (isNew) return isWorkflow ? 'A new workflow' : 'A new endpoint'
  if (fields.length === 0) return 'Unchanged'
  return fields.length === 1 ? 'One value changes' : `${fields.length} values change`
}

const Fields = ({ fields }: { fields: EntryChange['fields'] }) => (
  <div class="table-box as-cards">
    <table aria-label="Changes">
      <thead>
        <tr>
          <th>Value</th>
          <th>Now</th>
          <th>Afterwards</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ path, before, after }) => (
          <tr key={path}>
            <th scope="row" class="wrap">
              <code>{path}</code>
            </th>
            <td class="wrap" data-label="Now">
              {before === null ? <span class="faint">none</span> : <code class="was">{before}</code>}
            </td>
            <td class="wrap" data-label="Then">
              {after === null ? <span class="faint">none</span> : <code class="becomes">{after}</code>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
