import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { VoiceEndpoint, Workflow } from '../../context/catalog-snapshot.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { readInput } from '../options.ts'
import { operatorCommand } from '../run-command.ts'
import { type Column, everyPage, toTable } from '../table.ts'

const COLUMNS: readonly Column<VoiceEndpoint>[] = [
  { head: 'slug', cell: ({ slug }) => slug },
  { head: 'name', cell: ({ name }) => name },
  { head: 'published', cell: ({ published }) => (published ? 'yes' : 'no') },
  { head: 'scope', cell: ({ requiredScope }) => requiredScope },
  { head: 'engine', cell: ({ engine }) => engine.kind },
  { head: 'voices', cell: ({ voices }) => voices.length },
  { head: 'credits/character', cell: ({ creditsPerCharacter }) => creditsPerCharacter },
]

const WORKFLOW_COLUMNS: readonly Column<Workflow>[] = [
  { head: 'slug', cell: ({ slug }) => slug },
  { head: 'name', cell: ({ name }) => name },
  { head: 'server', cell: ({ engine }) => engine.base_url },
  { head: 'at once', cell: ({ engine }) => engine.max_in_flight },
  { head: 'limit (s)', cell: ({ timeLimitSeconds }) => timeLimitSeconds },
  { head: 'credits/job', cell: ({ creditsPerJob }) => creditsPerJob },
]

export function addEndpointCommands(program: Command): void {
  const endpoints = program.command('endpoints').description('voice endpoints and workflows')
  addReading(endpoints)

  operatorCommand(
    endpoints
      .command('apply')
      .description('make or replace the endpoints and workflows that a file lists, live in every process')
      .argument('<file>', 'YAML or JSON'),
    async (ctx, _options, [file = '']) => {
      const source = await readSource(file)
      const { applyEndpoints } = await import('../../catalog/apply-endpoints.ts')
      const { engineWarnings } = await import('../../voice/trials/engine-warnings.ts')
      const { applied, specs } = await applyEndpoints(ctx, {
        source,
        readAudio: (path) => readFile(resolve(dirname(file), path)),
      })
      const warnings = await engineWarnings(ctx, specs)
      const json = { applied, ...(warnings.length > 0 && { warnings }) }
      return { json, text: `applied ${applied.join(', ')}`, warnings }
    },
    ['catalog', 'queue'],
  )

  operatorCommand(
    endpoints
      .command('delete')
      .description('delete a voice endpoint or, where none has that slug, a workflow; its jobs stay')
      .argument('<slug>'),
    async (ctx, _options, [slug = '']) => {
      const { deleteEndpoint } = await import('../../catalog/change-catalog.ts')
      const { deleted } = await deleteEndpoint(ctx, { slug })
      return { json: { deleted }, text: `deleted ${deleted}` }
    },
    ['catalog'],
  )
}

function addReading(endpoints: Command): void {
  operatorCommand(
    endpoints
      .command('list')
      .description(
        'list all voice endpoints, unpublished and restricted ones included; those whose engine is away last',
      ),
    async (ctx) => {
      const { endpoints: listEndpoints } = await import('../../catalog/endpoints.ts')
      const { awayLast } = await import('../../worker/served-pools.ts')
      const all = await awayLast(ctx, await everyPage((page) => listEndpoints(ctx, page)))
      return { json: { items: all.map(toItem) }, text: toTable(COLUMNS, all) }
    },
    ['catalog'],
  )

  operatorCommand(
    endpoints
      .command('show')
      .description('show a voice endpoint or, where none has that slug, a workflow, in the form that `apply` reads')
      .argument('<slug>'),
    async (ctx, _options, [slug = '']) => {
      const { showEndpoint, writeEndpoint } = await import('../../catalog/files/write-endpoint.ts')
      const { stringify } = await import('yaml')
      const { section, entry } = writeEndpoint(showEndpoint(ctx, { slug }))
      return { json: entry, text: stringify({ [section]: [entry] }).trimEnd() }
    },
    ['catalog'],
  )
}

const toItem = (endpoint: VoiceEndpoint) => ({
  slug: endpoint.slug,
  name: endpoint.name,
  published: endpoint.published,
  required_scope: endpoint.requiredScope,
  engine: { kind: endpoint.engine.kind },
  voices: endpoint.voices.length,
  credits_per_character: endpoint.creditsPerCharacter,
})

async function readSource(file: string): Promise<string> {
  const source = await readInput(file)
  if (!isUtf8(source)) throw invalidRequest(`The file "${file}" cannot be read (it is not UTF-8).`)
  return new TextDecoder().decode(source)
}

export function addWorkflowCommands(program: Command): void {
  const workflows = program.command('workflows').description('workflows; `endpoints apply` makes and changes them')
  operatorCommand(
    workflows.command('list').description('list all workflows'),
    async (ctx) => {
      const { workflows: listWorkflows } = await import('../../catalog/workflows.ts')
      const all = await everyPage((page) => listWorkflows(ctx, page))
      return { json: { items: all.map(toWorkflowItem) }, text: toTable(WORKFLOW_COLUMNS, all) }
    },
    ['catalog'],
  )
}

const toWorkflowItem = ({ slug, name, engine, timeLimitSeconds, creditsPerJob }: Workflow) => ({
  slug,
  name,
  engine: { kind: engine.kind, base_url: engine.base_url, max_in_flight: engine.max_in_flight },
  time_limit_seconds: timeLimitSeconds,
  credits_per_job: creditsPerJob,
})
