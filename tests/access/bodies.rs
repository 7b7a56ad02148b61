//! Request bodies that operations accept, and that change as little as possible.

use serde_json::{Value, json};

use super::world::World;

/// The body for an operation, if a body generated from its schema is not sufficient.
pub fn body(operation: &str, world: &World) -> Option<Value> {
    let id = |name: &str| world.id(name).to_owned();
    let user = |id: &str| json!({"kind": "user", "id": id});
    Some(match operation {
        "assistants.update_assistant" => {
            let mut body = world.shared("assistant");
            body["skills"] = json!([id("skill_id")]);
            body["knowledge_bases"] = json!([id("knowledge_base_id")]);
            body["tool_servers"] = world.tool_servers();
            body
        }
        "assistants.attach_knowledge_base" => json!({"knowledge_base_id": id("knowledge_base_id")}),
        "assistants.create_and_attach_knowledge_base" => json!({"name": world.named("second base")}),
        "assistants.approve_external_services" => json!({"services": []}),
        "assistants.delete_asssitant_data" => json!({"ids": [id("data_id")]}),
        "assistants.bulk_update_assistant_data" => {
            json!({"updates": [{"id": id("data_id"), "data": {"said": world.named("data")}}]})
        }
        "assistants.create_asssitant_data" | "assistants.update_asssitant_data" => {
            json!({"data": {"said": world.named("data")}})
        }
        "assistants.execute_assistant_skill_function" => json!({"arguments": {"n": 2}}),
        "assistants.add_assistant_content" => json!({"content": world.named("content")}),
        "assistants.add_web_link_to_assistant" | "knowledge-bases.add_link_to_knowledge_base" => {
            json!({"url": "http://127.0.0.1:9/more"})
        }
        "auth.create_api_token" | "tenant-admin.create_service_account_api_token" => {
            json!({"name": world.named("made"), "scopes": []})
        }
        "auth.update_api_token" | "tenant-admin.update_service_account_api_token" => {
            json!({"name": world.named("token"), "scopes": [], "expires_at": null})
        }
        "auth.logout" | "users.logout" => json!({"all": false}),
        "auth.switch_tenant" => json!({"tenant_id": id("tenant_id")}),
        "auth.impersonate" => json!({"user_id": id("user_id"), "reason": "to see"}),
        "assistants.reorder_favourites" => json!({"assistant_ids": [id("assistant_id")]}),
        "automations.create_automation" | "automations.update_automation" => {
            json!({"name": world.named("automation"), "assistant_id": id("assistant_id"),
                "prompt": world.named("automation")})
        }
        "catalog.scan_adoption" | "catalog.apply_adoption" => {
            let assistant = json!({"key": "one", "type": "assistant", "id": id("assistant_id"),
                "fields": {"name": world.named("assistant")}});
            json!({"manifest": {"package": "own/things", "version": "1.0.0", "resources": [assistant]},
                "scan_hash": "0".repeat(64)})
        }
        "catalog.install_package" | "catalog.validate_install" => json!({"name": world.named("package")}),
        "control-tower.disable_assistant" => json!({"reason": "to see"}),
        "control-tower.transfer_assistant_ownership" => json!({"new_owner_id": id("owner")}),
        "control-tower.bulk_disable_assistants" => {
            json!({"assistant_ids": [id("assistant_id")], "reason": "to see"})
        }
        "control-tower.bulk_enable_assistants" => json!({"assistant_ids": [id("assistant_id")]}),
        "control-tower.bulk_transfer_assistant_ownership" => {
            json!({"assistant_ids": [id("assistant_id")], "new_owner_id": id("owner")})
        }
        "external.prepare_login" => json!({"assistant_id": id("assistant_id")}),
        "mcp.prepare" => json!({"assistant_id": id("assistant_id"), "server": world.tool_server()}),
        "mcp.disconnect" => json!({"server": world.tool_server()}),
        "notifications.delete_notification_endpoint" => json!({"kind": "webhook", "url": world.hook()}),
        "notifications.send_notification" => {
            json!({"user_ids": [id("owner")], "title": world.named("notice")})
        }
        "notifications.update_notification_preferences" => json!({"preferences": {}}),
        "chat.create_response" => json!({"input": "hello", "max_output_tokens": 3}),
        "chat.create_embedding" => json!({"input": "hello", "model": "builtin/hash"}),
        "chat.chat_completion"
        | "chat.partner_compatible_chat_completion"
        | "chat.partner_compatible_chat_completion_with_assistant" => {
            json!({"messages": [{"role": "user", "content": "hello"}], "max_tokens": 3})
        }
        "chat.create_response_with_assistant" => json!({"input": "hello"}),
        "chat.create_embedding_with_assistant" => json!({"input": "hello", "model": "builtin/hash"}),
        "conversations.conversation_completion" => json!({"message": "hello", "parameters": {"length": 3}}),
        "conversations.create_conversation" => {
            json!({"title": "mine", "assistant_id": id("assistant_id")})
        }
        "conversations.delete_multiple_conversations" => json!({"ids": [id("conversation_id")]}),
        "conversations.update_conversation" => json!({"title": world.named("conversation")}),
        "conversations.update_conversation_message" => {
            json!({"message_id": id("message_id"), "feedback": {"rating": "up"}})
        }
        "conversations.replace_conversation_payload" => json!({"messages": [], "version": 999_999}),
        "conversations.get_signed_upload_url" => {
            json!({"filename": "a.txt", "media_type": "text/plain", "size": 5})
        }
        "conversations.update_conversation_user_data" => json!({"user_data": {"note": {"said": "x"}}}),
        "conversations.update_conversation_user_data_key" => json!({"value": {"said": "x"}}),
        "knowledge-bases.update_knowledge_base" => json!({"description": "a base"}),
        "knowledge-bases.update_knowledge_base_file" => json!({"title": "a file"}),
        "memories.create_memory" => json!({"content": "known", "assistant_id": id("assistant_id")}),
        "memories.update_memory" => json!({"content": world.named("memory")}),
        "projects.update_project" => {
            json!({"name": world.named("project"), "instructions": world.named("instructions")})
        }
        "projects.add_project_members" => {
            json!({"members": [{"kind": "user", "id": id("user_id"), "level": "viewer"}]})
        }
        "projects.promote_project_to_team" => json!({"team_id": id("team_id")}),
        "skills.set_global_skill_catalog_metadata" | "assistants.set_assistant_catalog_metadata" => {
            json!({"summary": "of use"})
        }
        "skills.build_skill_async" => json!({"prompt": "Be kind."}),
        "teams.update_team" => json!({"description": "a team"}),
        "teams.set_team_owners" => json!({"principals": [user(&id("owner"))]}),
        "teams.set_team_members" => {
            json!({"principals": [user(&world.cast.viewer.id), user(&world.cast.editor.id)]})
        }
        "tenant-admin.update_service_account_display_name" => json!({"display_name": "renamed"}),
        "tenant-admin.approve_join_request" | "tenant-admin.update_user_role" => json!({"role": "user"}),
        "tenant-admin.update_feature_visibility" | "tenant-admin.update_model_visibility" => {
            json!({"visibility": "everyone"})
        }
        "video.remix_video" | "video.extend_video" => {
            json!({"prompt": "again", "source_job_id": id("video/job_id"), "model": "builtin/clip",
                "size": "320x180", "seconds": 1})
        }
        "workflows.start_workflow_run" => json!({"mode": "async"}),
        "workflows.debug_play_workflow_run" | "workflows.debug_restart_workflow_run" => {
            json!({"until": "ask"})
        }
        "workflows.build_ai_code_box" => json!({"instruction": "say 1", "outputs": {"one": "integer"}}),
        _ => return None,
    })
}
