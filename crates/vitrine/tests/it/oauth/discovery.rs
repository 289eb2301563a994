use super::*;

#[tokio::test]
async fn the_documents_lead_to_every_endpoint() {
    let app = TestApp::start().await;
    let (_, protected) = app.get("", "/.well-known/oauth-protected-resource/mcp").await;
    assert_eq!(protected["authorization_servers"], json!([issuer()]));
    let (status, server) = app.get("", "/.well-known/oauth-authorization-server").await;
    assert_eq!((status, server["issuer"].as_str()), (200, Some(issuer())));
    assert_eq!(server["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(server["authorization_details_types_supported"], json!([DATA_ACCESS]));
    for capability in ["authorization_response_iss_parameter_supported", "client_id_metadata_document_supported"] {
        assert_eq!(server[capability], true, "{capability}");
    }
    for name in [
        "authorization_endpoint",
        "token_endpoint",
        "registration_endpoint",
        "pushed_authorization_request_endpoint",
        "device_authorization_endpoint",
        "introspection_endpoint",
        "revocation_endpoint",
    ] {
        let path = server[name].as_str().and_then(|url| url.strip_prefix(issuer())).unwrap_or_else(|| panic!("{name}"));
        // A method that no endpoint takes tells a path that exists from one that does not.
        assert_eq!(app.call("DELETE", "", path).await.status, 405, "{name}");
    }
}
