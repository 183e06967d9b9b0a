import { builder } from '../graphql/builder.ts'
import { upperCased } from '../graphql/enum-values.ts'
import type { MediaKind } from './tag-media.ts'

export const MediaKindEnum = builder.enumType('MediaKind', {
  description: 'What a medium is.',
  values: upperCased<MediaKind>({ image: 'A picture.', video: 'Moving pictures.', audio: 'A recording.' }),
})
