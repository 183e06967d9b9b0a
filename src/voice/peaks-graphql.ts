import { ownerOf } from '../access/actor.ts'
import { builder } from '../graphql/builder.ts'
import { ArtifactRef } from '../jobs/graphql/job-graphql.ts'
import { DEFAULT_PEAKS, peaksOf } from './stored-speech.ts'

const COST = 1000

builder.objectField(ArtifactRef, 'peaks', (t) =>
  t.floatList({
    nullable: true,
    description:
      'The loudest sample of each of so many equal stretches, from 0 to 1: what a waveform is drawn of. Null unless it is audio that is there.',
    args: { count: t.arg.int({ description: '1 to 1,000; 160 unless given.' }) },
    resolve: (artifact, { count }, ctx) =>
      peaksOf(ctx, ownerOf(ctx.actor) ?? 'operator', artifact, count ?? DEFAULT_PEAKS),
    extensions: { cost: COST },
  }),
)
