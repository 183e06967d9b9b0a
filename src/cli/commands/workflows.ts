import type { Command } from 'commander'
import type { Workflow } from '../../context/catalog-snapshot.ts'
import { everyPage } from '../every-page.ts'
import { operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const COLUMNS: readonly Column<Workflow>[] = [
  { head: 'slug', cell: ({ slug }) => slug },
  { head: 'name', cell: ({ name }) => name },
  { head: 'server', cell: ({ engine }) => engine.base_url },
  { head: 'at once', cell: ({ engine }) => engine.max_in_flight },
  { head: 'limit (s)', cell: ({ timeLimitSeconds }) => timeLimitSeconds },
  { head: 'credits/job', cell: ({ creditsPerJob }) => creditsPerJob },
]

export function addWorkflowCommands(program: Command): void {
  const workflows = program.command('workflows').description('workflows; `endpoints apply` makes and changes them')
  operatorCommand(
    workflows.command('list').description('list all workflows'),
    async (ctx) => {
      const { workflows: listWorkflows } = await import('../../catalog/workflows.ts')
      const all = await everyPage((page) => listWorkflows(ctx, page))
      return { json: { items: all.map(toItem) }, text: toTable(COLUMNS, all) }
    },
    ['catalog'],
  )
}

const toItem = ({ slug, name, engine, timeLimitSeconds, creditsPerJob }: Workflow) => ({
  slug,
  name,
  engine: { kind: engine.kind, base_url: engine.base_url, max_in_flight: engine.max_in_flight },
  time_limit_seconds: timeLimitSeconds,
  credits_per_job: creditsPerJob,
})
