import { builder } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { engineWarnings } from '../../voice/trials/engine-warnings.ts'
import { type Application, applyEndpoints } from '../apply-endpoints.ts'
import { deleteEndpoint } from '../delete-endpoint.ts'
import type { EntryChange } from '../files/changes-of.ts'
import type { FieldChange } from '../files/compare-entries.ts'
import { withoutPassword } from '../files/hidden-password.ts'
import { endpointFile } from '../files/show-file.ts'

const AUDIO_URL = /^data:audio\/[a-z0-9.+-]+;base64,([A-Za-z0-9+/]+={0,2})$/

/** Security: a remote caller must not read files of this machine. */
async function readInlineAudio(path: string): Promise<Uint8Array> {
  const [, content] = AUDIO_URL.exec(path) ?? []
  if (content === undefined) throw Object.assign(new Error('not inline'), { code: 'send a data: URL of audio' })
  return Buffer.from(content, 'base64')
}

const shownValue =
  (side: 'before' | 'after') =>
  (change: FieldChange): string | null => {
    const value = change[side]
    return value !== null && change.path === 'engine.base_url'
      ? JSON.stringify(withoutPassword(JSON.parse(value) as string))
      : value
  }

const FieldChangeRef = builder.objectRef<FieldChange>('EndpointFieldChange').implement({
  description: 'One value that an endpoint file changes.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description: 'Where it stands in its entry: `engine.base_url`, `voices.aria.name`.',
    }),
    before: t.string({
      nullable: true,
      description: 'As JSON; null where there was none.',
      resolve: shownValue('before'),
    }),
    after: t.string({
      nullable: true,
      description: 'As JSON; null where there is none.',
      resolve: shownValue('after'),
    }),
  }),
})

const EntryChangeRef = builder.objectRef<EntryChange>('EndpointChange').implement({
  description: 'What an endpoint file changes of one endpoint or workflow.',
  fields: (t) => ({
    slug: t.exposeString('slug', { description: 'Its slug.' }),
    isWorkflow: t.boolean({ description: 'Whether it is a workflow.', resolve: ({ kind }) => kind === 'workflow' }),
    isNew: t.exposeBoolean('isNew', { description: 'Whether there was none of that slug.' }),
    fields: t.field({
      type: [FieldChangeRef],
      description: 'By path; none where it stays as it is.',
      resolve: ({ fields }) => [...fields],
    }),
  }),
})

const ApplicationRef = builder.objectRef<Application>('ApplyEndpointsSuccess').implement({
  description: 'An endpoint file that is live in every process within a second, or, after a dry run, would be.',
  fields: (t) => ({
    changes: t.field({
      type: [EntryChangeRef],
      description: 'What it changes, in the order of its endpoints, then of its workflows.',
      resolve: ({ changes }) => [...changes],
    }),
    slugs: t.stringList({
      description: 'Of its endpoints, then of its workflows.',
      resolve: ({ applied }) => [...applied],
    }),
    warnings: t.stringList({
      description:
        'A sentence for each endpoint and workflow whose engine is not there, as seen from the API: applied all the same.',
      resolve: ({ specs }, _args, ctx) => engineWarnings(ctx, specs),
    }),
  }),
})

const DeletionRef = builder.objectRef<{ readonly deleted: string }>('DeleteEndpointSuccess').implement({
  description: 'A deleted endpoint or workflow. Its jobs stay.',
  fields: (t) => ({
    slug: t.exposeString('deleted', { description: 'The slug of the deleted endpoint or workflow.' }),
  }),
})

interface ApplyArgs {
  readonly source: string
  readonly dryRun?: boolean | null | undefined
}

builder.queryField('endpointFile', (t) =>
  t.field({
    type: 'String',
    description:
      'A voice endpoint or, where none has that slug, a workflow as the YAML of an endpoint file; passwords in addresses are hidden, recordings left out. Needs the scope operator, or a signed-in operator.',
    args: { slug: t.arg.string({ required: true, description: 'Its slug.' }) },
    ...resolvedBy(endpointFile, (args: { slug: string }) => args),
  }),
)

builder.mutationFields((t) => ({
  applyEndpoints: t.field({
    type: ApplicationRef,
    errors: {},
    description:
      'Makes or replaces the endpoints and workflows of an endpoint file, all or none. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: {
      source: t.arg.string({ required: true, description: 'YAML or JSON; a reference_audio is a data: URL of audio.' }),
      dryRun: t.arg.boolean({
        description: 'Changes nothing, and needs no password: it says what would change, or what is wrong.',
      }),
    },
    ...resolvedBy(applyEndpoints, ({ source, dryRun }: ApplyArgs) => ({
      source,
      readAudio: readInlineAudio,
      dryRun: dryRun === true,
    })),
  }),
  deleteEndpoint: t.field({
    type: DeletionRef,
    errors: {},
    description:
      'Deletes a voice endpoint or, where none has that slug, a workflow. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: { slug: t.arg.string({ required: true, description: 'Its slug.' }) },
    ...resolvedBy(deleteEndpoint, (args: { slug: string }) => args),
  }),
}))
