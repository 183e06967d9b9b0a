import { count, duration, shortCount } from '../parts/format.ts'
import { keyName } from '../parts/key-name.ts'
import { USAGE_GROUPINGS, type UsageGroupingName, type UsedBy } from './usage-groups.ts'

/** More are in the file alone. */
const SHOWN = 50

interface UsageTableProps {
  readonly groups: readonly UsedBy[]
  readonly grouping: UsageGroupingName
  readonly jobsOf: (filter: Readonly<Record<string, string>>) => string
}

/** Lists what each group used; its name leads to its jobs. */
export function UsageTable({ groups, grouping, jobsOf }: UsageTableProps) {
  const { head } = USAGE_GROUPINGS[grouping]
  const most = Math.max(1, ...groups.map(({ credits }) => credits))
  const more = groups.length - SHOWN
  return (
    <>
      <div class="table-box as-cards">
        <table aria-label={`Usage by ${head}`}>
          <thead>
            <tr>
              <th>{head}</th>
              <th class="end" aria-sort="descending">
                Credits
              </th>
              <th class="from-840">
                <span class="unseen">Share</span>
              </th>
              <th class="end">Jobs</th>
              <th class="end">Characters</th>
              <th class="end">Audio</th>
            </tr>
          </thead>
          <tbody>
            {groups.slice(0, SHOWN).map((used) => (
              <UsageRow key={used.group} {...{ used, grouping, jobsOf, most }} />
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && <p class="card-body muted">And {count(more)} more with fewer credits: the file has all of them.</p>}
    </>
  )
}

interface UsageRowProps extends Pick<UsageTableProps, 'grouping' | 'jobsOf'> {
  readonly used: UsedBy
  readonly most: number
}

function UsageRow({ used: { group, credits, ...used }, grouping, jobsOf, most }: UsageRowProps) {
  const name = keyName(used.name, used.isDeleted)
  return (
    <tr>
      <th scope="row">
        <bdi class="clip-cell" title={name}>
          {group === null ? name : <a href={jobsOf({ [USAGE_GROUPINGS[grouping].filter]: group })}>{name}</a>}
        </bdi>
      </th>
      <td class="end" data-label="Credits">
        {count(credits)}
      </td>
      <td class="from-840 phone-none usage-share">
        <meter min={0} max={most} value={Math.max(0, credits)} aria-label={`Credits of ${name}`} />
      </td>
      <td class="end" data-label="Jobs">
        {count(used.jobs)}
      </td>
      <td class="end" data-label="Characters">
        {shortCount(used.characters)}
      </td>
      <td class="end" data-label="Audio">
        {duration(used.audioSeconds * 1000)}
      </td>
    </tr>
  )
}
