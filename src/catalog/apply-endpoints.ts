import { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireConfirmedOperator, requireOperator } from '../access/require.ts'
import { recordChange } from '../audit/record-change.ts'
import type { VoiceEndpoint, WorkflowEngine } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { sqlIn } from '../db/sql.ts'
import { invalidRequest } from '../errors/service-error.ts'
import type { Reroute } from '../queue/queue.ts'
import { changeCatalog } from './change-catalog.ts'
import { checkServerKeys } from './engine-keys.ts'
import type { EndpointSpec, EndpointSpecs, WorkflowSpec } from './files/endpoint-file.ts'
import { changesOf, type EntryChange } from './files/write-endpoint.ts'
import { forgetEngines } from './forget-engines.ts'
import { endpointRoute, workflowRoute } from './job-kinds.ts'
import { endpointKey, givenLimit, poolOf } from './voice-endpoint.ts'
import { forgetSamples } from './voice-samples.ts'
import { workflowKey } from './workflows.ts'

interface EndpointFile {
  readonly source: string
  /** Reads a recording by its path relative to the file. */
  readonly readAudio: (path: string) => Promise<Uint8Array>
  readonly dryRun?: boolean
}

export interface Application {
  readonly applied: readonly string[]
  readonly changes: readonly EntryChange[]
  readonly specs: EndpointSpecs
}

/**
 * Creates or replaces all endpoints and workflows that a file lists, or none. Others stay.
 * A dry run changes nothing and needs no recent password.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, INVALID_REQUEST with line and reason of each violation
 */
export async function applyEndpoints(ctx: Context, input: EndpointFile): Promise<Application> {
  if (input.dryRun !== true) requireConfirmedOperator(ctx)
  return applyConfirmed(ctx, input)
}

/**
 * Applies for an operator whose password was recent when their work began.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST with line and reason of each violation
 */
export async function applyConfirmed(ctx: Context, input: EndpointFile): Promise<Application> {
  requireOperator(ctx)
  const { parseEndpointFile } = await import('./files/endpoint-file.ts')
  const specs = parseEndpointFile(input.source, new Set([...ctx.catalog.current.endpoints.values()].map(poolOf)))
  for (const spec of specs.endpoints) {
    checkLimit(spec, ctx.settings.maxTextCharacters)
    checkServerKeys(ctx, spec)
  }
  const rows = await Promise.all(specs.endpoints.map((spec) => toRow(spec, input.readAudio)))
  const workflows = specs.workflows.map(toWorkflowRow)
  const applied = [...specs.endpoints, ...specs.workflows].map(({ slug }) => slug)
  const changes = changesOf(ctx, specs)
  if (input.dryRun !== true) await store(ctx, rows, workflows)
  return { applied, changes, specs }
}

/** @throws INVALID_REQUEST if the file allows longer texts than the service accepts */
function checkLimit({ slug, inputs }: EndpointSpec, most: number): void {
  const given = givenLimit(inputs)
  if (given === undefined || given <= most) return
  const message = `must be at most ${most}, the value of MAX_TEXT_CHARACTERS`
  throw invalidRequest(
    `Give the text of "${slug}" a maxLength of at most ${most}, or start the service with a higher MAX_TEXT_CHARACTERS.`,
    [{ path: 'inputs.properties.text.maxLength', message }],
  )
}

async function store(
  ctx: Context,
  rows: readonly Awaited<ReturnType<typeof toRow>>[],
  workflows: readonly ReturnType<typeof toWorkflowRow>[],
): Promise<void> {
  const moved: Reroute[] = []
  await changeCatalog(ctx, async (tx) => {
    for (const { endpoint, voices } of rows) {
      const known = await tx.voiceEndpoint.findUnique({ where: { slug: endpoint.slug }, select: { engine: true } })
      if (known !== null) moved.push({ endpointKey: endpointKey(endpoint.slug), ...speechMove(known, endpoint) })
      await tx.voice.deleteMany({ where: { endpointSlug: endpoint.slug } })
      await tx.voiceEndpoint.upsert({ where: { slug: endpoint.slug }, create: endpoint, update: endpoint })
      await tx.voice.createMany({ data: voices })
    }
    for (const workflow of workflows) {
      const known = await tx.workflow.findUnique({ where: { slug: workflow.slug }, select: { engine: true } })
      if (known !== null) moved.push({ endpointKey: workflowKey(workflow.slug), ...workflowMove(known, workflow) })
      await tx.workflow.upsert({ where: { slug: workflow.slug }, create: workflow, update: workflow })
    }
    for (const { slug, name } of [...rows.map(({ endpoint }) => endpoint), ...workflows]) {
      const change = { accountId: null, subjectId: slug, subjectName: name }
      await recordChange(sqlIn(tx), ctx.actor, { action: 'endpoint_applied', ...change })
    }
  })
  for (const move of moved) await ctx.queue.reroute(move)
  const slugs = rows.map(({ endpoint }) => endpoint.slug)
  await forgetEngines(ctx, slugs)
  await forgetSamples(ctx, slugs)
}

async function toRow(spec: EndpointSpec, readAudio: EndpointFile['readAudio']) {
  const endpoint = {
    slug: spec.slug,
    name: spec.name,
    description: spec.description,
    published: spec.published,
    requiredScope: spec.required_scope,
    voiceInput: spec.voice_input,
    inputs: spec.inputs as Prisma.InputJsonObject,
    responseFields: spec.response_fields,
    engine: spec.engine as Prisma.InputJsonObject,
    timeLimitSeconds: spec.time_limit_seconds,
    creditsPerCharacter: spec.credits_per_character,
    audio: spec.audio ?? Prisma.DbNull,
    captions: spec.captions ?? Prisma.DbNull,
    openai: spec.openai ?? Prisma.DbNull,
    libraryVoices: spec.library_voices ?? false,
    markup: spec.markup === undefined || spec.markup === 'none' ? null : spec.markup,
    code: spec.code === 'skip' ? 'skip' : null,
    loudness: spec.loudness === 'as_is' ? 'as_is' : null,
    textNormalization: spec.text_normalization === 'auto' ? null : (spec.text_normalization ?? null),
  }
  const voices = spec.voices.map(async (voice, position) => ({
    endpointSlug: spec.slug,
    slug: voice.slug,
    position,
    name: voice.name,
    description: voice.description,
    kind: voice.kind,
    engineVoice: voice.engine_voice ?? null,
    referenceAudio: voice.reference_audio === undefined ? null : await recording(voice.reference_audio, readAudio),
    referenceText: voice.reference_text ?? null,
    language: voice.language ?? null,
  }))
  return { endpoint, voices: await Promise.all(voices) }
}

interface Row {
  readonly engine: unknown
}

const speechMove = (from: Row, to: Row) => {
  const routeOf = ({ engine }: Row) => endpointRoute({ engine: engine as VoiceEndpoint['engine'] })
  return { from: routeOf(from), to: routeOf(to) }
}

const workflowMove = (from: Row, to: Row) => {
  const routeOf = ({ engine }: Row) => workflowRoute({ engine: engine as WorkflowEngine })
  return { from: routeOf(from), to: routeOf(to) }
}

const toWorkflowRow = (spec: WorkflowSpec) => ({
  slug: spec.slug,
  name: spec.name,
  description: spec.description,
  inputs: spec.inputs as Prisma.InputJsonObject,
  engine: spec.engine as Prisma.InputJsonObject,
  timeLimitSeconds: spec.time_limit_seconds,
  creditsPerJob: spec.credits_per_job,
})

async function recording(path: string, readAudio: EndpointFile['readAudio']): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return Uint8Array.from(await readAudio(path))
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    const details = [{ path: 'reference_audio', message: `cannot be read (${reason})` }]
    throw invalidRequest(`Correct reference_audio: the file "${path}" cannot be read (${reason}).`, details)
  }
}
