import { toCsv } from '../jobs/csv.ts'
import { Segments } from '../parts/field.tsx'
import { duration, shortCount } from '../parts/format.ts'
import { useAddress } from '../parts/use-address.ts'
import { CsvButton } from './csv-button.tsx'
import { GROUPINGS, type Group, type GroupingName, groupingOf, groupingOfAll } from './groups.ts'

const FIGURES = ['jobs', 'runP50Ms', 'runP95Ms', 'audioSeconds', 'credits'] as const
const OPTIONS = Object.entries(GROUPINGS).map(([name, { head }]) => [name as GroupingName, head] as const)

interface GroupsTableProps {
  readonly groups: readonly Group[]
  /** The address of the jobs that are counted under a filter. */
  readonly jobsOf: (filter: Record<string, string>) => string
}

/** Jobs put together by what the address says, each group leading to its jobs. */
export function GroupsTable({ groups, jobsOf }: GroupsTableProps) {
  const { query, change } = useAddress()
  const chosen = groupingOf(query.by)
  const name = groupingOfAll(groups, chosen)
  const { title, head, columns } = GROUPINGS[name]
  return (
    <section class="card" aria-labelledby="groups">
      <div class="card-head">
        <h2 id="groups">{title}</h2>
        <Segments
          label="Group by"
          value={chosen}
          onChange={(by) => change({ by: by === 'endpoint' ? null : by })}
          options={OPTIONS}
        />
        <CsvButton title={title} toText={() => toCsv([...columns, ...FIGURES], groups.map(rowOf))} />
      </div>
      <div class="table-box as-cards">
        <table>
          <GroupsHead name={head} />
          <tbody>
            {groups.map((group) => (
              <GroupRow key={columns.map((column) => group[column]).join(' ')} {...{ group, name, jobsOf }} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const GroupsHead = ({ name }: { readonly name: string }) => (
  <thead>
    <tr>
      <th>{name}</th>
      <th class="end">Jobs</th>
      <th class="end">Ran, p50</th>
      <th class="end">Ran, p95</th>
      <th class="end">Audio</th>
      <th class="end">Credits</th>
    </tr>
  </thead>
)

interface GroupRowProps extends Pick<GroupsTableProps, 'jobsOf'> {
  readonly group: Group
  readonly name: GroupingName
}

function GroupRow({ group, name, jobsOf }: GroupRowProps) {
  const { jobs, runMs, audioSeconds, credits } = group
  const filter = GROUPINGS[name].filterOf(group)
  const text = GROUPINGS[name].nameOf(group)
  return (
    <tr>
      <td>
        <bdi class="clip-cell" title={text}>
          {filter === null ? text : <a href={jobsOf(filter)}>{text}</a>}
        </bdi>
      </td>
      <td class="end">{shortCount(jobs)}</td>
      <td class="end phone-none">{duration(runMs?.p50)}</td>
      <td class="end" data-label="p95">
        {duration(runMs?.p95)}
      </td>
      <td class="end" data-label="Audio">
        {duration((audioSeconds ?? 0) * 1000)}
      </td>
      <td class="end phone-none">{shortCount(credits ?? 0)}</td>
    </tr>
  )
}

const rowOf = ({ runMs, ...group }: Group) => ({ ...group, runP50Ms: runMs?.p50, runP95Ms: runMs?.p95 })
