import { useQuery } from '../api/use-query.ts'
import { toCsv } from '../jobs/csv.ts'
import { type StatisticsGroupsQueryVariables, statisticsGroups } from '../operations.ts'
import { Segments } from '../parts/field.tsx'
import { count, duration, shortCount } from '../parts/format.ts'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { useAddress } from '../parts/use-address.ts'
import { CsvButton } from './csv-button.tsx'
import { GROUPINGS, type Group, type GroupingName, groupingOf, groupingOfAll, largestOf } from './groups.ts'
import type { Whose } from './jobs-address.ts'

const FIGURES = ['jobs', 'runP50Ms', 'runP95Ms', 'audioSeconds', 'credits'] as const
const OPTIONS = Object.entries(GROUPINGS).map(([name, { head }]) => [name as GroupingName, head] as const)

/** The address of the jobs that are counted under a filter. */
type JobsOf = (filter: Record<string, string>) => string

interface GroupsCardProps {
  /** Filters the grouped jobs. */
  readonly filter: StatisticsGroupsQueryVariables['filter']
  readonly whose: Whose
  readonly jobsOf: JobsOf
}

/** Jobs put together by what the address says: asked for on their own, so that another grouping leaves the charts alone. */
export function GroupsCard({ filter, whose, jobsOf }: GroupsCardProps) {
  const { query: address, change } = useAddress()
  const chosen = groupingOf(address.by)
  const query = useQuery(statisticsGroups, { filter, by: [GROUPINGS[chosen].by], ...whose })
  const groups = query.data?.groups ?? []
  // The kept answer is then of another grouping.
  const areTooMany = query.failure?.code === 'INVALID_REQUEST'
  const isOff = query.data === null || query.isOther || areTooMany
  const { title, columns } = GROUPINGS[areTooMany ? chosen : groupingOfAll(groups, chosen)]
  const toText = () => toCsv([...columns, ...FIGURES], groups.map(rowOf))
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
        <CsvButton title={title} isOff={isOff} toText={toText} />
      </div>
      {areTooMany ? (
        <p class="card-body muted">More groups than can be shown: choose a shorter time or another grouping.</p>
      ) : (
        <Load query={query} skeleton={<SkeletonRows rows={4} />}>
          {(data) => <GroupsTable groups={data.groups} chosen={chosen} jobsOf={jobsOf} />}
        </Load>
      )}
    </section>
  )
}

interface GroupsTableProps {
  readonly groups: readonly Group[]
  readonly chosen: GroupingName
  readonly jobsOf: JobsOf
}

/** Each group leads to its jobs. */
function GroupsTable({ groups, chosen, jobsOf }: GroupsTableProps) {
  const name = groupingOfAll(groups, chosen)
  const { head, columns } = GROUPINGS[name]
  const { shown, more } = largestOf(groups)
  return (
    <>
      <div class="table-box as-cards">
        <table aria-label={head}>
          <GroupsHead name={head} />
          <tbody>
            {shown.map((group) => (
              <GroupRow key={columns.map((column) => group[column]).join(' ')} {...{ group, name, jobsOf }} />
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && <p class="card-body muted">And {count(more)} more with fewer jobs: the file has all of them.</p>}
    </>
  )
}

const GroupsHead = ({ name }: { readonly name: string }) => (
  <thead>
    <tr>
      <th>{name}</th>
      <th class="end" aria-sort="descending">
        Jobs
      </th>
      <th class="end">Ran, half within</th>
      <th class="end">Ran, 95% within</th>
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
      <th scope="row">
        <bdi class="clip-cell" title={group.apiKeyId ? `${text}, ${group.apiKeyId}` : text}>
          {filter === null ? text : <a href={jobsOf(filter)}>{text}</a>}
        </bdi>
      </th>
      <td class="end">{shortCount(jobs)}</td>
      <td class="end phone-none">{duration(runMs?.p50)}</td>
      <td class="end" data-label="95% within">
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
