import { useQuery } from '../../api/use-query.ts'
import { type OperatorWorkflowsQuery, operatorWorkflows } from '../../operations.ts'
import { count } from '../../parts/format.ts'
import { Load } from '../../parts/load.tsx'
import { Pager } from '../../parts/pager.tsx'
import { pageOf, useAddress } from '../../parts/use-address.ts'
import { fileOf } from './file-of.ts'

type Workflow = OperatorWorkflowsQuery['workflows']['edges'][number]['node']

const PAGE = 50

/** The workflows, below the endpoints: in pages of their own, which the address keeps as well. Nothing where there are none. */
export function Workflows() {
  const { query, change } = useAddress()
  const list = useQuery(
    operatorWorkflows,
    pageOf({ after: query['workflows-after'] ?? '', before: query['workflows-before'] ?? '' }, PAGE),
  )
  return (
    <Load query={list} skeleton={null}>
      {({ workflows: { edges, pageInfo } }) => (
        <>
          {edges.length > 0 && (
            <section class="card section">
              <div class="card-head">
                <h2>Workflows</h2>
              </div>
              <ul class="card-body stack">
                {edges.map(({ node }) => (
                  <WorkflowRow key={node.slug} workflow={node} />
                ))}
              </ul>
            </section>
          )}
          <Pager
            label="Pages of workflows"
            pageInfo={pageInfo}
            onMove={({ after, before }) => change({ 'workflows-after': after, 'workflows-before': before })}
          />
        </>
      )}
    </Load>
  )
}

const WorkflowRow = ({ workflow: { slug, name, creditsPerJob } }: { workflow: Workflow }) => (
  <li class="row">
    <a href={fileOf(slug)}>
      <strong>{slug}</strong>
    </a>
    <span class="faint" dir="auto">
      {name}
    </span>
    <span class="faint small-text">{count(creditsPerJob)} credits a job</span>
  </li>
)
