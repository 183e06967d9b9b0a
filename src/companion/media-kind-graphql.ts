import { builder } from '../graphql/builder.ts'
import { upperCased } from '../graphql/enum-values.ts'
import { MEDIA_KINDS } from './tag-media.ts'

export const MediaKindEnum = builder.enumType('MediaKind', {
  description: 'What a medium is.',
  values: upperCased(MEDIA_KINDS),
})
