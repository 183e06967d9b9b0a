import { useQuery } from '../../api/use-query.ts'
import { useRowWalk } from '../../lists/use-row-letters.ts'
import { type OperatorEndpointsQuery, operatorEndpoints } from '../../operations.ts'
import { Empty } from '../../parts/empty.tsx'
import { count } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Pager } from '../../parts/pager.tsx'
import { pageOf, useAddress } from '../../parts/use-address.ts'
import { OperatorScreen } from '../operator-screen.tsx'
import { fileOf } from './file-of.ts'
import { NEW } from './use-file-draft.ts'
import { Workflows } from './workflows.tsx'

type Endpoint = OperatorEndpointsQuery['endpoints']['edges'][number]['node']

const PAGE = 50

/** Lists endpoints and workflows; each opens as its file. */
export function EndpointsPage() {
  useRowWalk()
  const { query, change } = useAddress()
  const page = pageOf(query, PAGE)
  const list = useQuery(operatorEndpoints, page)
  const add = (
    <a class="button primary" href={fileOf(NEW)}>
      <Icon name="plus" /> New endpoint
    </a>
  )
  return (
    <OperatorScreen title="Endpoints" tab="endpoints" actions={add}>
      <Load query={list} skeleton={<SkeletonRows rows={4} />}>
        {({ endpoints }) => (
          <>
            {endpoints.edges.length === 0 ? (
              <Empty
                title="No endpoints yet"
                action={
                  <a class="button primary" href={fileOf(NEW)}>
                    Begin with the example
                  </a>
                }
              >
                An endpoint is what people and programs speak through: it has an engine, its voices and its price.
              </Empty>
            ) : (
              <EndpointsTable endpoints={endpoints.edges.map(({ node }) => node)} />
            )}
            <Pager pageInfo={endpoints.pageInfo} onMove={(cursors) => change(cursors)} />
          </>
        )}
      </Load>
      <Workflows />
    </OperatorScreen>
  )
}

const EndpointsTable = ({ endpoints }: { endpoints: readonly Endpoint[] }) => (
  <div class="table-box as-cards">
    <table aria-label="Endpoints">
      <thead>
        <tr>
          <th>Endpoint</th>
          <th>State</th>
          <th>Engine</th>
          <th>Pool</th>
          <th class="end">Voices</th>
          <th class="end">Credits a character</th>
          <th class="from-840">Applied</th>
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <EndpointRow key={endpoint.slug} endpoint={endpoint} />
        ))}
      </tbody>
    </table>
  </div>
)

const EndpointRow = ({
  endpoint: { slug, name, settings, voices, creditsPerCharacter, updatedAt },
}: {
  endpoint: Endpoint
}) => (
  <tr>
    <th scope="row">
      <a href={fileOf(slug)}>
        <strong>{slug}</strong>
      </a>{' '}
      <span class="clip-cell faint small-text" dir="auto" title={name}>
        {name}
      </span>
    </th>
    <td>
      <span class={settings?.published ? 'pill good' : 'pill'}>{settings?.published ? 'published' : 'draft'}</span>{' '}
      {settings?.requiredScope && <span class="chip">{settings.requiredScope}</span>}
    </td>
    <td data-label="Engine">{String((settings?.engine as { kind?: string } | undefined)?.kind ?? '')}</td>
    <td data-label="Pool">{settings?.pool}</td>
    <td class="end" data-label="Voices">
      {count(voices.length)}
    </td>
    <td class="end" data-label="Credits">
      {count(creditsPerCharacter)}
    </td>
    <td class="from-840" data-label="Applied">
      <Moment at={updatedAt} />
    </td>
  </tr>
)
