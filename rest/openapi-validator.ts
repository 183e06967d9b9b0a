import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  type Operation as DocumentedOperation,
  OpenAPIBackend,
  OpenAPIRouter,
  OpenAPIValidator,
  type ParsedRequest,
  type Request,
} from 'openapi-backend'
import { invalidRequest } from '../src/errors/service-error.ts'
import { API_ROOT, type Document, requestsOf } from './document.ts'
import { detailsOf } from './validation-details.ts'

export type { DocumentedOperation }

export type RoutedRequest = ParsedRequest

export interface RequestValidator {
  readonly operations: readonly DocumentedOperation[]
  /** Validates parameters, headers and body. @throws INVALID_REQUEST with details */
  validate(request: RoutedRequest, operation: DocumentedOperation): void
}

// Verbs check formats, because every API calls them.
const AJV_OPTIONS = { strict: false, strictNumbers: true, allErrors: true, validateFormats: false }

/** Reads the document and validates requests. Fastify routes them, so 401, 403, 404, 405 and 413 precede the body. */
export async function openValidator(document: Document): Promise<RequestValidator> {
  // A test validates the document, because the library knows only OpenAPI 3.0.
  const options = { definition: requestsOf(document), apiRoot: API_ROOT, strict: true, quick: true, validate: false }
  const { definition } = await new OpenAPIBackend(options).init()
  const router = new ParsedByFastify({ definition, apiRoot: API_ROOT })
  const validator = new OpenAPIValidator({
    definition,
    router,
    lazyCompileValidators: true,
    ajvOpts: AJV_OPTIONS,
    // Queries are typed already: coercion would accept 1e1 as 10. A test checks the schemas.
    customizeAjv: (_ajv, given) => new Ajv2020({ ...given, coerceTypes: false, meta: false, validateSchema: false }),
  })
  return {
    operations: router.getOperations(),
    validate: (request, operation) => {
      const { errors } = validator.validateRequest(request, operation)
      if (errors) throw invalidRequest('Invalid request: see `details`.', detailsOf(errors))
    },
  }
}

class ParsedByFastify extends OpenAPIRouter {
  override parseRequest(request: Request): ParsedRequest {
    return request as RoutedRequest
  }
}
