import type { AnyFormat, CaptionFormat } from '../audio/format.ts'
import { builder } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { describedEnum } from '../graphql/scalars.ts'
import { AudioFormatEnum } from '../jobs/graphql/job-graphql.ts'
import { CaptionFormatEnum } from '../jobs/graphql/voice-job-graphql.ts'
import { type ExportUnit, type ProjectExport, projectCaptions, projectExport } from './export-project.ts'

const NEEDS = 'Needs the scope job:read, or a signed-in user.'

const ExportRef = builder.objectRef<ProjectExport>('ProjectExport').implement({
  description: 'File of the chosen takes of a project, in their order, with the pauses between them.',
  fields: (t) => ({
    url: t.expose('url', {
      type: 'URL',
      description:
        'Signed URL of the file, valid for 15 minutes. The file is made while a client reads it, of the takes that are chosen then.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time from which on the URL answers 403.' }),
    durationMs: t.exposeInt('durationMs', {
      description: 'Length of the whole recording in milliseconds, with its pauses.',
    }),
    missingKeys: t.stringList({
      description: 'Keys of the paragraphs that are left out, because no take of theirs has audio.',
      resolve: ({ missingKeys }) => [...missingKeys],
    }),
    outdatedKeys: t.stringList({
      description: 'Keys of the paragraphs whose chosen take says an earlier text, or has earlier settings.',
      resolve: ({ outdatedKeys }) => [...outdatedKeys],
    }),
  }),
})

const ExportUnitEnum = describedEnum<ExportUnit>('ProjectExportUnit', 'Part of a project that is one file.', {
  project: 'The project is one file; an audiobook in M4B shows its chapters.',
  chapter: 'Each chapter is a file, all of them in one ZIP file.',
})

interface ExportArgs {
  readonly id: string
  readonly format: AnyFormat
  readonly by: ExportUnit
}

builder.queryFields((t) => ({
  projectExport: t.field({
    type: ExportRef,
    description: `Audio of a project, mono at 24 kHz. ${NEEDS}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of a project.' }),
      format: t.arg({ type: AudioFormatEnum, required: true, description: 'Format of the files.' }),
      by: t.arg({
        type: ExportUnitEnum,
        required: true,
        defaultValue: 'project',
        description: 'Part of the project that is one file.',
      }),
    },
    ...resolvedBy(projectExport, (args: ExportArgs) => args),
  }),
  projectCaptions: t.field({
    type: ExportRef,
    description: `Captions of the one file of a project. ${NEEDS}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of a project.' }),
      format: t.arg({ type: CaptionFormatEnum, required: true, description: 'Format of the captions.' }),
    },
    ...resolvedBy(projectCaptions, (args: { readonly id: string; readonly format: CaptionFormat }) => args),
  }),
}))
